/** Who points at whom; every name that is pointed at is a key, too. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** A graph of these arrows, without those from a name to itself. Names and arrows in their order. */
export function graphOf(
	names: Iterable<string>,
	arrows: Iterable<readonly [from: string, to: string]>,
): Graph {
	const graph = new Map<string, Set<string>>([...names].toSorted().map(name => [name, new Set()]));
	for (const [from, to] of [...arrows].toSorted(byBoth)) {
		if (from !== to) {
			graph.get(from)?.add(to);
		}
	}

	return graph;
}

const byBoth = (a: readonly [string, string], b: readonly [string, string]): number =>
	compare(a[0], b[0]) || compare(a[1], b[1]);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The groups of two or more that all reach one another, largest first. */
export function circlesOf(graph: Graph): ReadonlyArray<readonly string[]> {
	const reached = new Map([...graph.keys()].map(name => [name, distancesFrom(graph, name)]));
	const seen = new Set<string>();
	const circles: Array<readonly string[]> = [];
	for (const name of graph.keys()) {
		if (!seen.has(name)) {
			const circle = [...(reached.get(name)?.keys() ?? [])]
				.filter(other => reached.get(other)?.has(name))
				.toSorted();
			for (const member of circle) {
				seen.add(member);
			}

			circles.push(circle);
		}
	}

	return circles.filter(({length}) => length > 1).toSorted((a, b) => b.length - a.length);
}

/** How many arrows away everything is that can be reached, itself included. */
function distancesFrom(graph: Graph, start: string): ReadonlyMap<string, number> {
	const distances = new Map([[start, 0]]);
	for (const [name, distance] of distances) {
		for (const next of graph.get(name) ?? []) {
			if (!distances.has(next)) {
				distances.set(next, distance + 1);
			}
		}
	}

	return distances;
}
