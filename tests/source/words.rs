// Generic code, closures and a map of the standard library; the line that executes most is marked.
use std::collections::BTreeMap;

fn mix<T: Copy + Into<u64>>(items: &[T]) -> u64 {
    let mut hash: u64 = 1;
    for _ in 0..200 {
        for item in items {
            hash = (hash ^ (*item).into()).wrapping_mul(16777619) % 1000003; // hottest
        }
    }
    hash
}

#[inline(never)]
fn work() -> u64 {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for word in "one two three two three three".split(' ') {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut numbers: Vec<u32> = counts.values().copied().collect();
    numbers.extend((0..20).map(|i| i * 7 % 13));
    numbers.sort();
    mix(&numbers)
}

fn main() {
    println!("{}", work());
}
