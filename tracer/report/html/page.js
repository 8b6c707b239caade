// Draws the page from the data in it. Text from the traced program enters by textContent only.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const state = { region: 0, model: 0, by: "form", sort: null };
const ROWS = 20;	// of a table, at first
const NOTABLE = 0.05;	// share of the cycles from which a line is worth a sentence

// ---- small helpers

function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (name === "class") element.className = value;
		else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
	}
	element.append(...children.filter((child) => child !== null && child !== undefined));
	return element;
}

const whole = new Intl.NumberFormat("en");
const count = (n) => whole.format(Math.round(n));
// As in the text reports: only everything is 100.0%, and only nothing is 0.0%.
const percent = (part, all) => (!(all > 0) ? "" : part <= 0 ? "0.0%" : part < all * 0.0005 ? "<0.1%" : part < all && part > all * 0.9995 ? ">99.9%"
	: (100 * part / all).toFixed(1) + "%");
const short = (n) => (n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M" : n >= 1e4 ? (n / 1e3).toFixed(1) + " k"
	: n >= 100 || n === Math.round(n) ? count(n) : n.toFixed(2));
const seconds = (ns) => (ns >= 1e9 ? (ns / 1e9).toFixed(2) + " s" : ns >= 1e6 ? (ns / 1e6).toFixed(2) + " ms" : ns >= 1e3 ? (ns / 1e3).toFixed(2) + " µs"
	: ns + " ns");
const ratio = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2)) + "x";
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);

// ---- the data, unpacked: page_tables.h describes the columns

function repeated(pairs) {
	const values = [];
	for (let i = 0; i < pairs.length; i += 2)
		for (let n = pairs[i + 1]; n > 0; n--) values.push(pairs[i]);
	return values;
}

function unpackInsns(insns) {
	let at = 0;
	insns.address = insns.address.map((step) => "0x" + BigInt.asUintN(64, BigInt(at += step)).toString(16));
	for (const key of ["function", "file", "line", "executions", "runs"]) insns[key] = repeated(insns[key]);
	insns.text = insns.text.map((place) => data.texts[place]);
	insns.cycles = insns.cycles.map((others, m) => {
		const cycles = insns.form.map((form, i) => insns.each[m][form] * insns.executions[i]);
		for (let k = 0; k < others.length; k += 2) cycles[others[k]] = others[k + 1];
		return cycles;
	});
	insns.match = insns.match.map((letters) => insns.form.map((form) => letters[form]));
}

for (const each of data.regions) unpackInsns(each.insns);
for (const file of data.files) {
	if (!file || !file.lines) continue;
	const texts = new Map();
	for (const [first, ...lines] of file.lines) lines.forEach((text, i) => texts.set(first + i, text));
	file.lines = texts;
}

const region = () => data.regions[state.region];
const estimate = () => region().estimates[state.model];
const functionName = (f) => (f < 0 ? "(no function)" : data.functions[f][0]);
const moduleOf = (f) => (f < 0 || data.functions[f][1] < 0 ? "" : baseName(data.modules[data.functions[f][1]]));

// A cost on one model: cycles, their executions, and how many of these have no cost or that of a related form.
const cost = (executions, cycles, unknown, fallback) => ({ executions, cycles, unknown, fallback });
const noCost = () => cost(0, 0, 0, 0);
const costOfInsn = (i, m) => {
	const insns = region().insns, n = insns.executions[i], match = insns.match[m][i];
	return cost(n, insns.cycles[m][i], match === "?" ? n : 0, match === "~" ? n : 0);
};
function addCost(to, from) {
	to.executions += from.executions;
	to.cycles += from.cycles;
	to.unknown += from.unknown;
	to.fallback += from.fallback;
}
// With the qualifiers of the text reports.
const isUnknown = (c) => c.unknown > 0 && c.unknown >= c.executions;
const figure = (c) => (isUnknown(c) ? "?" : (c.unknown ? ">" : c.fallback ? "~" : "") + short(c.cycles));
const share = (c, all) => (isUnknown(c) ? "?" : percent(c.cycles, all));

// Adds up the region's instructions by key: Map of key to {executions, cycles[model], costs[model], insns[]}.
function sum(keyOf) {
	const rows = new Map(), insns = region().insns;
	for (let i = 0; i < insns.executions.length; i++) {
		const key = keyOf(i, insns);
		let row = rows.get(key);
		if (!row) rows.set(key, row = { key, costs: data.models.map(noCost), insns: [] });
		row.insns.push(i);
		row.costs.forEach((c, m) => addCost(c, costOfInsn(i, m)));
	}
	for (const row of rows.values()) {
		row.executions = row.costs[0].executions;
		row.runs = row.insns.reduce((runs, i) => runs + insns.runs[i], 0); // of a source line: how often it ran
		row.cycles = row.costs.map((c) => c.cycles);
	}
	return rows;
}

function bar(part, greatest, title) {
	const inner = make("i", { style: `width:${greatest > 0 ? Math.max(0, 100 * part / greatest) : 0}%` });
	return make("td", { class: "bar", title }, inner);
}

// A table that shows its first rows, and all on request.
function longTable(heads, rows, draw, attributes = {}) {
	const body = make("tbody");
	const table = make("table", attributes, make("thead", {}, make("tr", {}, ...heads)), body);
	const box = make("div", {}, make("div", { class: "scroll" }, table));
	body.append(...rows.slice(0, ROWS).map(draw));
	if (rows.length > ROWS) {
		const more = make("button", { onclick: () => { body.append(...rows.slice(ROWS).map(draw)); more.remove(); } },
			`${count(rows.length - ROWS)} more`);
		box.append(more);
	}
	return box;
}

function head(text, title, attributes = {}) {
	return make("th", { scope: "col", title, ...attributes }, text);
}

// A name that is too long ends with an ellipsis, and is whole in its title.
function nameCell(name, ...more) {
	return make("td", { class: "name code", title: name }, ...(more.length ? more : [name]));
}

function section(id, title, about, ...children) {
	return make("section", { id, "aria-labelledby": id + "-title" }, make("h2", { id: id + "-title" }, title),
		about ? make("p", { class: "faint" }, about) : null, ...children);
}

// ---- summary

function coverageBar(e) {
	const all = e.exact + e.fallback + e.unknown;
	return make("div", { class: "coverage", role: "img",
		"aria-label": `exact ${percent(e.exact, all)}, by a related form ${percent(e.fallback, all)}, unknown ${percent(e.unknown, all)}` },
	make("i", { class: "sure", style: `width:${100 * e.exact / all}%` }),
	make("i", { class: "related", style: `width:${100 * e.fallback / all}%` }),
	make("i", { class: "unknown", style: `width:${100 * e.unknown / all}%` }));
}

// As in the text report: if one side is too low, the ratio is a bound; if both are much too low, it says nothing. With
// the qualifier before it; null if it says nothing.
function ratioTo(first, c, [about, atLeast, atMost]) {
	const lacks = (each) => each.unknown / each.executions;
	if (isUnknown(c) || isUnknown(first) || !first.cycles)
		return null;
	if ((lacks(c) || lacks(first)) && lacks(c) < 0.05 && lacks(first) < 0.05)
		return about + ratio(c.cycles / first.cycles);
	if (lacks(c) && lacks(first))
		return null;
	return (lacks(c) ? atLeast : lacks(first) ? atMost : "") + ratio(c.cycles / first.cycles);
}

const costOfAll = (e) => cost(e.exact + e.fallback + e.unknown, e.cycles, e.unknown, e.fallback);

function card(e, m) {
	const model = data.models[m], first = region().estimates[0], all = e.exact + e.fallback + e.unknown;
	const known = e.cycles !== null;
	const toFirst = ratioTo(costOfAll(first), costOfAll(e), ["about ", "at least ", "at most "]);
	return make("button", { class: "card", "aria-pressed": String(m === state.model), title: "rank by " + model.name,
		onclick: () => { state.model = m; draw(); } },
	make("div", { class: "faint" }, model.title),
	make("div", { class: "big" }, known ? (e.unknown ? ">" : "") + short(e.cycles) + (e.cycles === 1 ? " cycle" : " cycles") : "unknown"),
	make("div", {}, [m > 0 && toFirst ? toFirst + " of " + data.models[0].name : null,
		e.time_ns ? seconds(e.time_ns) : null, known ? (e.cycles / region().instructions).toFixed(2) + " cycles per instruction" : null]
		.filter(Boolean).join(", ")),
	coverageBar(e),
	make("div", { class: "faint" }, `${percent(e.exact, all)} exact`,
		e.fallback ? `, ${percent(e.fallback, all)} by a related form` : "", e.unknown ? `, ${percent(e.unknown, all)} unknown` : ""));
}

// The costliest line of the program's own files; if none of these ran, of all.
function hottestLine() {
	const lines = [...sum((i, insns) => insns.file[i] + ":" + insns.line[i]).values()];
	for (const row of lines) [row.file, row.line] = row.key.split(":").map(Number);
	return lines.filter((row) => row.file >= 0 && row.line > 0).sort((a, b) =>
		data.files[b.file].is_own - data.files[a.file].is_own || b.cycles[state.model] - a.cycles[state.model])[0];
}

function summary() {
	const r = region(), e = estimate(), functions = [...sum((i, insns) => insns.function[i]).values()];
	const hottest = functions.sort((a, b) => b.cycles[state.model] - a.cycles[state.model])[0];
	const line = hottestLine(), isOwn = line && data.files[line.file].is_own;
	const told = line && e.cycles && (isOwn || line.cycles[state.model] >= NOTABLE * e.cycles), parts = [];
	if (hottest && e.cycles)
		parts.push(make("p", { class: "lead" }, `${percent(hottest.cycles[state.model], e.cycles)} of the cycles are in `,
			make("code", {}, functionName(hottest.key)), moduleOf(hottest.key) ? ` [${moduleOf(hottest.key)}]` : "",
			told ? `; the costliest line${isOwn ? " of the program's own files" : ""}, with ${percent(line.cycles[state.model], e.cycles)}, is ` : ".",
			told ? make("a", { href: "#source", onclick: () => showLine(line.key) },
				baseName(data.files[line.file].path) + ":" + line.line) : null, told ? "." : null));
	return make("section", { id: "summary" },
		make("h1", {}, r.title),
		make("p", { class: "lead" }, `${plural(r.visits, "visit", "visits")} executed ${plural(r.instructions, "instruction", "instructions")}`,
			r.iterations ? ` (and ${plural(r.iterations, "iteration", "iterations")} of repeated string instructions)` : "",
			r.syscalls.length ? `, with ${plural(r.syscalls.reduce((all, s) => all + s[1], 0), "system call", "system calls")} (${
				r.syscalls.slice(0, 6).map((s) => `${s[0]} ${count(s[1])}`).join(", ")}${r.syscalls.length > 6 ? ", ..." : ""})` : "", "."),
		...parts,
		make("div", { class: "cards", role: "group", "aria-label": "models" }, ...r.estimates.map(card)),
		make("p", { class: "faint" }, "Counts are exact. Cycles are estimates by each model, not measured; pick the model that ranks the page. ",
			make("a", { href: "#trust" }, "How far to trust them")));
}

// ---- flame graph

// Frames as a tree {name, cycles, all, own, children Map, function, file, line}, all and own costs: from the call tree if the run has
// one, else by source position.
function frames() {
	const r = region(), m = state.model, root = { name: r.title, own: noCost(), children: new Map(), depth: 0 };
	const child = (parent, key, name, more) => {
		let node = parent.children.get(key);
		if (!node) parent.children.set(key, node = { name, own: noCost(), children: new Map(), parent, depth: parent.depth + 1, ...more });
		return node;
	};
	if (r.calls) {
		const nodes = [];
		for (let i = 0; i < r.calls.parent.length; i++) {
			const parent = r.calls.parent[i] < 0 ? root : nodes[r.calls.parent[i]], [name, module] = r.calls.functions[r.calls.function[i]];
			const node = child(parent, i, name,
				{ calls: r.calls.calls[i], module: module < 0 ? "" : baseName(data.modules[module]) });
			addCost(node.own, cost(r.calls.executions[i], r.calls.cycles[m][i], r.calls.unknown[m][i], r.calls.fallback[m][i]));
			nodes.push(node);
		}
	} else {
		const insns = r.insns;
		for (let i = 0; i < insns.executions.length; i++) {
			const f = insns.function[i];
			let node = child(root, "m" + moduleOf(f), moduleOf(f) || "(no module)", {});
			node = child(node, "f" + f, functionName(f), { function: f });
			if (insns.line[i] > 0) {
				node = child(node, insns.file[i] + ":" + insns.line[i], baseName(data.files[insns.file[i]].path) + ":" + insns.line[i],
					{ function: f, key: insns.file[i] + ":" + insns.line[i] });
			}
			addCost(node.own, costOfInsn(i, m));
		}
	}
	const add = (node) => {
		node.all = { ...node.own };
		for (const below of node.children.values()) addCost(node.all, add(below));
		node.cycles = node.all.cycles;
		return node.all;
	};
	add(root);
	return root;
}

function hue(name) {
	let hash = 0;
	for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
	return 18 + hash % 38;
}

function flameGraph() {
	const root = frames(), box = make("div", { class: "flame", role: "tree", "aria-label": "flame graph" });
	const detail = make("div", { class: "detail", "aria-live": "polite" }), HEIGHT = 20;
	const search = make("input", { type: "search", placeholder: "find a name ( / )", "aria-label": "find in the flame graph", id: "find" });
	const found = make("span", { class: "faint" });
	const reset = make("button", { onclick: () => zoom(root) }, "whole graph (Esc)");
	let focus = root, shown = [];

	const describe = (node) => {
		detail.textContent = `${node.name}: ${figure(node.all)} ${node.all.cycles === 1 ? "cycle" : "cycles"}, ${share(node.all, root.cycles)} of the region` +
			(focus !== root ? `, ${share(node.all, focus.cycles)} of ${focus.name}` : "") +
			(node.own.executions ? `; ${figure(node.own)} self` : "");
	};
	const layOut = (node, left, width, row, out) => {
		if (width < 0.0008) return;
		out.push({ node, left, width, row });
		let at = left;
		const below = [...node.children.values()].sort((a, b) => b.cycles - a.cycles);
		for (const next of below) {
			const part = node.cycles > 0 ? width * next.cycles / node.cycles : 0;
			layOut(next, at, part, row + 1, out);
			at += part;
		}
	};
	const matches = (node) => search.value !== "" && node.name.toLowerCase().includes(search.value.toLowerCase());
	const mark = () => {
		let cycles = 0;
		const walk = (node) => { if (matches(node)) cycles += node.cycles; else for (const next of node.children.values()) walk(next); };
		for (const { node, element } of shown) element.classList.toggle("found", matches(node));
		walk(root);
		found.textContent = search.value ? `${percent(cycles, root.cycles) || "0%"} of the cycles are in what matches` : "";
	};
	function zoom(node) {
		const line = [];
		for (let above = node.parent; above; above = above.parent) line.unshift(above);
		const places = line.map((above, row) => ({ node: above, left: 0, width: 1, row, around: true }));
		layOut(node, 0, 1, line.length, places);
		focus = node;
		box.replaceChildren();
		box.style.height = (Math.max(...places.map((place) => place.row)) + 1) * HEIGHT + "px";
		shown = places.map((place) => {
			const element = make("button", { class: place.around ? "around" : "", role: "treeitem", "aria-level": place.row + 1, tabindex: "-1",
				style: `left:${100 * place.left}%;width:calc(${100 * place.width}% - 1px);top:${place.row * HEIGHT}px;` +
					`background:hsl(${hue(place.node.name)} 85% ${place.row % 2 ? 70 : 66}%)`,
				title: `${place.node.name}: ${percent(place.node.cycles, root.cycles)}`,
				onclick: () => zoom(place.node).element.focus(), onfocus: () => describe(place.node), onmouseenter: () => describe(place.node) }, place.node.name);
			return { ...place, element };
		});
		box.append(...shown.map((place) => place.element));
		const own = shown.find((place) => place.node === node);
		own.element.tabIndex = 0;
		describe(node);
		mark();
		return own;
	}
	box.addEventListener("keydown", (event) => {
		const here = shown.find((place) => place.element === document.activeElement);
		if (!here) return;
		const row = { ArrowDown: here.row + 1, ArrowUp: here.row - 1 }[event.key] ?? here.row;
		const middle = here.left + here.width / 2;
		let next = null;
		if (event.key === "Escape") next = zoom(root);
		else if (event.key === "ArrowDown") next = shown.filter((p) => p.row === row && p.left >= here.left - 1e-9 && p.left < here.left + here.width)[0];
		else if (event.key === "ArrowUp") next = shown.find((p) => p.row === row && p.left <= middle && middle < p.left + p.width + 1e-9);
		else if (event.key === "ArrowRight") next = shown.filter((p) => p.row === row && p.left > here.left + 1e-9).sort((a, b) => a.left - b.left)[0];
		else if (event.key === "ArrowLeft") next = shown.filter((p) => p.row === row && p.left < here.left - 1e-9).sort((a, b) => b.left - a.left)[0];
		else return;
		event.preventDefault();
		if (next) next.element.focus();
	});
	search.addEventListener("input", mark);
	const result = section("flame", "Where the cycles go",
		(region().calls ? "Who called whom, from the outermost function downwards; width is cycles, callees included."
			: "By module, function and line; width is cycles. Who called whom is not in this run.") +
			" Click or press Enter to zoom, arrows to move, Esc to go back.",
		make("div", { class: "controls" }, search, reset, found), box, detail);
	zoom(root);
	return result;
}

// ---- models side by side

const GROUPS = {
	form: ["instruction form", (i, insns) => insns.form[i], (key) => data.forms[key]],
	function: ["function", (i, insns) => insns.function[i], (key) => functionName(key) + (moduleOf(key) ? ` [${moduleOf(key)}]` : "")],
};

function ranksOf(rows, m) {
	const ranks = new Map();
	[...rows].sort((a, b) => b.cycles[m] - a.cycles[m]).forEach((row, i) => ranks.set(row.key, i + 1));
	return ranks;
}

function comparison() {
	const [what, keyOf, nameOf] = GROUPS[state.by], rows = [...sum(keyOf).values()], m = state.model, r = region();
	const ranks = data.models.map((_, k) => ranksOf(rows, k)), totals = r.estimates.map((e) => e.cycles || 0);
	const moved = (row) => Math.max(...data.models.map((_, k) => (ranks[k].get(row.key) === ranks[m].get(row.key) ? 0
		: Math.abs(row.cycles[k] / (totals[k] || 1) - row.cycles[m] / (totals[m] || 1)))));
	const value = { moved, executions: (row) => row.executions }[state.sort] || ((row) => row.cycles[m]);
	rows.sort((a, b) => value(b) - value(a) || b.executions - a.executions);
	const greatest = Math.max(...rows.map((row) => row.cycles[m]));
	const sorter = (key, text, title) => make("th", { scope: "col", title }, make("button", { "data-sorted": state.sort === key ? "" : null,
		onclick: () => { state.sort = key; redraw("models", comparison); } }, text));
	const heads = [head(what, "", { class: "name" }), sorter("executions", "executions"), sorter(null, `cycles on ${data.models[m].name}`), head("share"), head("", "", { "aria-label": "share as a bar" })];
	data.models.forEach((model, k) => { if (k !== m) heads.push(head(model.name, "cycles relative to " + data.models[m].name + ", and the rank there")); });
	const drawRow = (row, place) => {
		const cells = [nameCell(nameOf(row.key)), make("td", {}, count(row.executions)), make("td", {}, figure(row.costs[m])), make("td", {}, share(row.costs[m], totals[m])),
			bar(row.cycles[m], greatest)];
		data.models.forEach((_, k) => {
			if (k === m) return;
			const rise = ranks[m].get(row.key) - ranks[k].get(row.key);
			const matters = Math.abs(row.cycles[k] / (totals[k] || 1) - row.cycles[m] / (totals[m] || 1)) > 0.01;
			cells.push(make("td", {}, row.cycles[m] > 0 ? ratioTo(row.costs[m], row.costs[k], ["≈", ">", "<"]) ?? "?" : figure(row.costs[k]),
				make("span", { class: rise && matters ? "flip" : "faint" }, ` ${rise > 0 ? "▲" : rise < 0 ? "▼" : ""}#${ranks[k].get(row.key)}`)));
		});
		return make("tr", {}, ...cells);
	};
	const pick = (key, text) => make("button", { "aria-pressed": String(state.by === key), onclick: () => { state.by = key; redraw("models", comparison); } }, text);
	return section("models", data.models.length > 1 ? "Models side by side" : "What ran",
		data.models.length > 1 ? `Ranked by cycles on ${data.models[m].name}. The number beside another model's ratio is the row's rank on that model: ▲ higher than here, ▼ lower.`
			: "Ranked by cycles.",
		make("div", { class: "controls" }, pick("form", "instruction forms"), pick("function", "functions"),
			data.models.length > 1 ? make("button", { "aria-pressed": String(state.sort === "moved"),
				onclick: () => { state.sort = state.sort === "moved" ? null : "moved"; redraw("models", comparison); } }, "what changes place most") : null),
		longTable(heads, rows, drawRow));
}

// ---- source and assembly

let wanted = null;

function showLine(key) {
	wanted = key;
	redraw("source", source);
}

function heat(cycles, greatest) {
	return greatest > 0 && cycles > 0 ? `background:rgb(var(--heat) / ${(0.02 + 0.5 * Math.sqrt(cycles / greatest)).toFixed(3)})` : "";
}

function assemblyRow(i, total) {
	const insns = region().insns, c = costOfInsn(i, state.model);
	return make("tr", { class: "asm" }, make("td", {}, count(c.executions)), make("td"), make("td", {}, figure(c)), make("td", {}, share(c, total)), make("td", {}, insns.address[i]), make("td", { class: "code" }, insns.text[i]));
}

const listingHeads = () => [head("executions", "how often the line ran"), head("instructions", "executions of its instructions"), head("cycles"), head("share"), head("line"), head("", "", { class: "name" })];

// The executed lines of one file with their context; each opens to show its instructions.
function fileListing(index, marked) {
	const rows = sum((i, insns) => (insns.file[i] === index ? insns.line[i] : -1)), file = data.files[index], m = state.model;
	const total = estimate().cycles || 0, body = make("tbody"), AROUND = 3;
	rows.delete(-1);
	const greatest = Math.max(...[...rows.values()].map((row) => row.cycles[m])), texts = file.lines || new Map();
	const wantedLines = new Set();
	for (const line of rows.keys())
		for (let k = line - AROUND; k <= line + AROUND; k++) if (k === line || texts.has(k)) wantedLines.add(k);
	let before = 0;
	for (const line of [...wantedLines].sort((a, b) => a - b)) {
		const row = rows.get(line);
		if (line > before + 1) body.append(make("tr", { class: "gap" }, make("td", { colspan: 6 }, "···")));
		before = line;
		const text = line === 0 ? "(line unknown)" : texts.get(line) ?? "";
		if (!row) {
			body.append(make("tr", {}, make("td"), make("td"), make("td"), make("td"), make("td", { class: "faint" }, String(line)), make("td", { class: "code" }, text)));
			continue;
		}
		const own = [];
		const toggle = () => {
			if (own.length) { own.splice(0).forEach((element) => element.remove()); element.setAttribute("aria-expanded", "false"); return; }
			own.push(...row.insns.map((i) => assemblyRow(i, total)));
			element.after(...own);
			element.setAttribute("aria-expanded", "true");
		};
		const key = index + ":" + line;
		const element = make("tr", { role: "button", tabindex: "0", "aria-expanded": "false", style: heat(row.cycles[m], greatest),
			class: key === marked ? "chosen" : "", onclick: toggle,
			onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } } },
		make("td", {}, count(row.runs)), make("td", {}, count(row.executions)), make("td", {}, figure(row.costs[m])), make("td", {}, share(row.costs[m], total)),
		make("td", { class: "faint" }, line ? String(line) : ""), make("td", { class: "code" }, text));
		if (key === marked) queueMicrotask(() => {
			const listing = element.closest(".listing");
			listing.scrollTop = element.offsetTop - listing.clientHeight / 2;
		});
		body.append(element);
	}
	return make("div", { class: "listing" }, make("table", {}, make("thead", {}, make("tr", {}, ...listingHeads())), body));
}

function functionListing(f) {
	const insns = region().insns, m = state.model, total = estimate().cycles || 0, body = make("tbody");
	const own = [];
	for (let i = 0; i < insns.executions.length; i++) if (insns.function[i] === f) own.push(i);
	const greatest = Math.max(...own.map((i) => insns.cycles[m][i]));
	let hottest = null;
	for (const i of own) {
		const element = make("tr", { style: heat(insns.cycles[m][i], greatest) }, make("td", {}, count(insns.executions[i])), make("td", {}, figure(costOfInsn(i, m))),
			make("td", {}, share(costOfInsn(i, m), total)), make("td", { class: "faint" }, insns.address[i]), make("td", { class: "code" }, insns.text[i]));
		if (!hottest && insns.cycles[m][i] === greatest) hottest = element;
		body.append(element);
	}
	queueMicrotask(() => { if (hottest) hottest.closest(".listing").scrollTop = hottest.offsetTop - 200; });
	return make("div", { class: "listing" }, make("table", {}, make("thead", {}, make("tr", {}, head("executions"), head("cycles"), head("share"),
		head("address"), head("", "", { class: "name" }))), body));
}

function source() {
	const m = state.model, total = estimate().cycles || 0, byCost = (a, b) => b.cycles[m] - a.cycles[m] || b.executions - a.executions;
	const files = [...sum((i, insns) => insns.file[i]).values()].filter((row) => row.key >= 0).sort(byCost);
	const functions = [...sum((i, insns) => insns.function[i]).values()].sort(byCost);
	const place = make("div"), note = make("p", { class: "faint" });
	const choices = make("select", { "aria-label": "file or function", onchange: () => show(choices.value) });
	const group = (label, rows, letter, nameOf) => rows.length ? make("optgroup", { label }, ...rows.slice(0, 400).map((row) =>
		make("option", { value: letter + row.key }, `${percent(row.cycles[m], total)}  ${nameOf(row.key)}`))) : null;
	const own = files.filter((row) => data.files[row.key].is_own), others = files.filter((row) => !data.files[row.key].is_own);
	choices.append(...[group("the program's own files", own, "s", (key) => data.files[key].path),
		group(own.length ? "other source files" : "source files", others, "s", (key) => data.files[key].path),
		group("functions, as assembly", functions, "f", (key) => functionName(key) + (moduleOf(key) ? ` [${moduleOf(key)}]` : ""))].filter(Boolean));
	const show = (value) => {
		const index = Number(value.slice(1));
		note.textContent = value[0] === "s" ? data.files[index].note || "" : "";
		place.replaceChildren(value[0] === "s" ? fileListing(index, marked) : functionListing(index));
	};
	const withText = files.find((row) => data.files[row.key].lines), line = hottestLine();
	const marked = wanted ?? (line && data.files[line.file].is_own ? line.key : null);
	const chosen = marked ? "s" + marked.split(":")[0] : withText ? "s" + withText.key : functions.length ? "f" + functions[0].key : null;
	if (chosen) { choices.value = chosen; show(chosen); }
	return section("source", "Source and assembly", "Lines that ran, with their exact counts. Click a line, or press Enter on it, for its instructions.",
		make("div", { class: "controls" }, choices), note, place);
}

// ---- call tree

function callTree() {
	const calls = region().calls;
	if (!calls) return null;
	const root = frames(), m = state.model, body = make("tbody");
	const row = (node, depth) => {
		const below = [...node.children.values()].sort((a, b) => b.cycles - a.cycles);
		const knot = make("button", { class: "knot", "aria-label": "callees", "aria-expanded": "false", disabled: below.length ? null : "" }, below.length ? "▸" : "·");
		const cell = nameCell(node.name + (node.module ? ` [${node.module}]` : ""), knot, node.name,
			node.module ? make("span", { class: "faint" }, ` [${node.module}]`) : null);
		cell.style.setProperty("--depth", Math.min(depth, 12));
		const element = make("tr", { "aria-level": depth + 1 }, cell, make("td", {}, share(node.all, root.cycles)), make("td", {}, share(node.own, root.cycles)),
			make("td", {}, figure(node.all)), make("td", {}, count(node.calls)), bar(node.cycles, root.cycles));
		let open = null;
		const close = (rows) => rows.forEach((each) => { if (each.open) close(each.open); each.open = null; each.element.remove(); });
		const self = { element, open: null };
		knot.addEventListener("click", () => {
			open = self.open;
			if (open) { close(open); self.open = null; }
			else { self.open = below.map((next) => row(next, depth + 1)); element.after(...self.open.map((each) => each.element)); }
			knot.textContent = self.open ? "▾" : "▸";
			knot.setAttribute("aria-expanded", String(!!self.open));
		});
		self.unfold = () => { if (below.length && !self.open) knot.click(); return self.open; };
		return self;
	};
	const tops = [...root.children.values()].sort((a, b) => b.cycles - a.cycles).map((node) => row(node, 0));
	body.append(...tops.map((each) => each.element));
	// Opens along the most expensive path.
	for (let at = tops[0], depth = 0; at && depth < 6; depth++) at = (at.unfold() || [])[0];
	return section("calls", "Call tree", "Inclusive: with the functions that it called; self: without them.",
		make("div", { class: "scroll" }, make("table", { class: "tree" }, make("thead", {}, make("tr", {}, head("function", "", { class: "name" }), head("inclusive"), head("self"),
			head(`cycles on ${data.models[m].name}`),
			head("calls"), head("", "", { "aria-label": "inclusive, as a bar" }))), body)));
}

// ---- trust

function method(e, model) {
	if (e.estimator === "pipeline") return "those of a simulated out-of-order pipeline, its branches predicted";
	if (e.estimator === "pairing") return "those of two simulated in-order pipes";
	return "sums of " + (model.rank === "latency" ? "latencies" : "reciprocal throughputs");
}

function trust() {
	const e = estimate(), model = data.models[state.model], all = e.exact + e.fallback + e.unknown;
	const table = (title, rows) => rows.length ? make("div", {}, make("h3", {}, title), longTable([head("", "", { class: "name" }), head("executions"), head("share")],
		rows, (row) => make("tr", {}, nameCell(row[0]), make("td", {}, count(row[1])), make("td", {}, percent(row[1], all))))) : null;
	return section("trust", "How far to trust it", null,
		make("p", {}, `${model.title}: ${model.source}.`, model.note ? ` ${model.note}.` : "", ` The cycles are ${method(e, model)}`,
			e.latency_cycles !== e.throughput_cycles ? `; the tables alone give ${short(e.throughput_cycles)} if everything overlaps and ${short(e.latency_cycles)} if nothing does.` : "."),
		e.figures.length ? make("ul", {}, ...e.figures.map((figure) => make("li", {}, figure))) : null,
		make("p", {}, `Of ${count(all)} executions ${percent(e.exact, all)} were costed exactly, ${percent(e.fallback, all)} as a related form and ${
			percent(e.unknown, all)} not at all. Unknown executions add nothing to the cycles, which are too low by their cost.`), coverageBar(e),
		table("Costed by a related form, by rule", e.rules), table("Unknown to this model", e.unknown_forms),
		data.notes.length ? make("h3", {}, "About this run") : null,
		data.notes.length ? make("ul", { class: "notes" }, ...data.notes.map((note) => make("li", {}, note))) : null,
		make("h3", {}, "Words"),
		make("dl", { class: "words" },
			make("dt", {}, "region"), make("dd", {}, "the code between a begin and an end marker; a visit is one passage through it"),
			make("dt", {}, "executions"), make("dd", {}, "how often an instruction retired; of a source line: how often it ran"),
			make("dt", {}, "form"), make("dd", {}, "an instruction with the kinds and widths of its operands: the key of a cost table"),
			make("dt", {}, "model"), make("dd", {}, "the cost table and parameters of one CPU"),
			make("dt", {}, "~"), make("dd", {}, "before a number: it is, at least in part, the cost of a related form"),
			make("dt", {}, "> < ≈"), make("dd", {}, "at least: a part has no cost; for ratios also at most, and about: less than 5% of the executions have no cost"),
			make("dt", {}, "?"), make("dd", {}, "no cost")));
}

// ---- the page

// A button may redraw itself when it is pressed: the new one gets the focus.
function keepFocus(place, drawAnew) {
	const buttons = () => [...document.querySelectorAll(place + " button")], at = buttons().indexOf(document.activeElement);
	drawAnew();
	if (at >= 0) buttons()[at]?.focus({ preventScroll: true });
}

function redraw(id, drawer) {
	const old = document.getElementById(id), fresh = drawer();
	if (old && fresh) keepFocus("#" + id, () => old.replaceWith(fresh));
}

function theme() {
	const next = { "": "dark", dark: "light", light: "" }, root = document.documentElement;
	const button = make("button", { title: "light, dark or as the system has it", onclick: () => {
		const value = next[root.dataset.theme || ""];
		if (value) root.dataset.theme = value; else delete root.dataset.theme;
		button.textContent = name();
	} });
	const name = () => ({ "": "theme: system", dark: "theme: dark", light: "theme: light" })[root.dataset.theme || ""];
	button.textContent = name();
	return button;
}

function draw() {
	const main = document.querySelector("main"), nav = document.querySelector("nav"), top = window.scrollY;
	const parts = [summary(), flameGraph(), comparison(), source(), callTree(), trust()].filter(Boolean);
	keepFocus("main", () => main.replaceChildren(...parts));
	nav.replaceChildren(...[["summary", "Summary"], ["flame", "Flame graph"], ["models", data.models.length > 1 ? "Models" : "Instructions"], ["source", "Source"],
		["calls", "Calls"], ["trust", "Trust"]].filter(([id]) => document.getElementById(id)).map(([id, text]) => make("a", { href: "#" + id }, text)));
	window.scrollTo(0, top);
}

function start() {
	const bar = document.querySelector("header.bar");
	if (data.regions.length > 1)
		bar.append(make("select", { "aria-label": "region", onchange: (event) => { state.region = Number(event.target.value); wanted = null; draw(); } },
			...data.regions.map((r, i) => make("option", { value: i }, `${r.title} (${short(r.instructions)})`))));
	bar.append(theme());
	document.addEventListener("keydown", (event) => {
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
		if (event.key === "/" && !typing) { event.preventDefault(); document.getElementById("find").focus(); }
		if (event.key === "Escape" && document.activeElement.id === "find") document.activeElement.blur();
	});
	if (data.regions.length) draw();
	else document.querySelector("main").append(make("p", { class: "lead" }, "No region was reached."), make("ul", {}, ...data.notes.map((note) => make("li", {}, note))));
}

start();
})();
