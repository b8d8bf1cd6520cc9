import {basename} from 'node:path/posix';
import {type Graph, pathBetween} from './graph.ts';
import {roomOf} from './read-house.ts';

export type Story = {
	readonly title: string;
	/** The files that it names, in the order in which it names them. */
	readonly waypoints: readonly string[];
	/** What looks like a file of the house, or a folder with a file of its name, and is none. */
	readonly unknown: readonly string[];
};

export type Walk = {
	/** Every file that is passed, in order; one that is passed again is named again. */
	readonly files: readonly string[];
	/** How often it comes back to a room that it has left. */
	readonly returns: number;
	/** Waypoints that nothing joins to the one before. */
	readonly gaps: readonly string[];
};

/** The stories of the map: the paragraphs below `## Stories`. */
export function readStories(map: string, files: ReadonlySet<string>): readonly Story[] {
	const section = map.split(/^## /m).find(part => part.startsWith('Stories')) ?? '';
	return section
		.split(/\n{2,}/)
		.filter(text => text.startsWith('**'))
		.map(text => {
			const names = [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)+)`/g)].map(([, name]) => name ?? '');
			const fileOf = (name: string) =>
				[`${name}.ts`, `${name}.tsx`, `${name}/${basename(name)}.ts`].find(path => files.has(path));
			return {
				title: /^\*\*(.+?)\.?\*\*/.exec(text)?.[1] ?? '',
				waypoints: names.flatMap(name => fileOf(name) ?? []),
				unknown: names.filter(name => fileOf(name) === undefined),
			};
		});
}

/** Walks from waypoint to waypoint, each time on the shortest way that imports show. */
export function walk({waypoints}: Story, graph: Graph): Walk {
	const files: string[] = waypoints.slice(0, 1);
	const gaps: string[] = [];
	for (const [index, to] of waypoints.entries()) {
		const from = waypoints[index - 1];
		if (from !== undefined) {
			const path = pathBetween(graph, from, to);
			files.push(...(path ?? ['', to]).slice(1));
			gaps.push(...(path ? [] : [to]));
		}
	}

	return {files, gaps, returns: returnsOf(files.map(roomOf))};
}

/** How often a list comes back to something that it has left. */
export const returnsOf = (rooms: readonly string[]): number => {
	const stays = rooms.filter((room, index) => room !== rooms[index - 1]);
	return stays.length - new Set(stays).size;
};
