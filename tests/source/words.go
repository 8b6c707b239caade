// Counts words in four goroutines, which share a map, and prints those met most often, sorted.
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

const text = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill"

type counter struct {
	lock   sync.Mutex
	counts map[string]uint32
}

//go:noinline
func mix(word string) uint32 {
	value := uint32(2166136261)
	for round := 0; round < 50; round++ {
		for i := 0; i < len(word); i++ { // hottest
			value = (value ^ uint32(word[i])) * 16777619
		}
	}
	return value
}

func (counter *counter) add(words []string, done *sync.WaitGroup) {
	defer done.Done()
	for _, word := range words {
		value := mix(word)
		counter.lock.Lock()
		counter.counts[word] += 1 + value&0
		counter.lock.Unlock()
	}
}

func main() {
	words := strings.Fields(strings.Repeat(text+" ", 4))
	shared := counter{counts: map[string]uint32{}}
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go shared.add(words[i*len(words)/4:(i+1)*len(words)/4], &done)
	}
	done.Wait()
	names := make([]string, 0, len(shared.counts))
	for name := range shared.counts {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		return shared.counts[a] > shared.counts[b] || shared.counts[a] == shared.counts[b] && a < b
	})
	for _, name := range names[:3] {
		fmt.Println(shared.counts[name], name)
	}
}
