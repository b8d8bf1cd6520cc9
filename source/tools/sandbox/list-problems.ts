import {join} from 'node:path';
import {wordsOf} from '../../core/names.ts';
import {isInside, systemFolders} from './places.ts';
import type {PathTarget, PlanProblem, PlanWorld} from './plan.ts';

/** The running system's state: sockets, processes, devices. A sandbox has its own, or none. */
const ownPlaces = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot'];

/** Folders that may be listed in part, but never as a whole. */
const neverWhole = wordsOf(`
	/ /dev/shm /tmp /var /var/tmp /home /Library /private /private/tmp /private/var /private/var/tmp
	/System /Users /Volumes
`);

/** A listed path and its target. */
export type Entry = PathTarget & {readonly list: PlanProblem['list']; readonly path: string};

/** Why a list entry with the target `found` cannot be used; follows the entry in a sentence. `secrets`: protected paths and their targets. */
export function problemOf(
	list: PlanProblem['list'],
	{real, kind}: PathTarget,
	{secrets, world}: {readonly secrets: readonly string[]; readonly world: PlanWorld},
): string | undefined {
	const {userHome, profileHome, find} = world;
	const own = [join(profileHome, 'work'), join(find(profileHome)?.real ?? profileHome, 'work')];
	if (own.some(folder => isInside(real, folder))) {
		return kind === 'folder' ? undefined : 'is no folder';
	}

	if (neverWhole.includes(real)) {
		return 'is never opened whole: name the folders in it that are needed';
	}

	const place = ownPlaces.find(folder => isInside(real, folder) && !isInside(real, '/dev/shm'));
	if (place !== undefined) {
		return `leads to ${place}, which belongs to the system: nothing in it can be listed`;
	}

	if (kind === 'socket' || kind === 'other') {
		return 'is no file and no folder';
	}

	if (list === 'workdir' && kind !== 'folder') {
		return 'is no folder';
	}

	const secret = secrets.find(folder => isInside(real, folder));
	if (secret !== undefined) {
		return `leads into ${secret}, which is out of reach for every sandbox`;
	}

	if (list === 'read') {
		return undefined;
	}

	const held = secrets.find(path => isInside(path, real) && find(path));
	if (held !== undefined) {
		return `holds ${held}, which nothing inside of a sandbox may move: name the folders in it that are needed`;
	}

	return isInside(find(userHome)?.real ?? userHome, real)
		? 'is the home folder, where what is written is run later: name the folders in it that are needed'
		: systemFolders.some(folder => isInside(real, folder) || isInside(folder, real))
			? 'belongs to the system, which is read-only'
			: undefined;
}

/** The first entry within a writable one: the sandbox could replace it by a link before the next call. */
export function nestedIn(entries: readonly Entry[]): PlanProblem | undefined {
	const writable = entries.filter(({list}) => list !== 'read');
	for (const {list, path, real} of entries) {
		const outer = writable.find(other => other.real !== real && isInside(real, other.real));
		if (outer) {
			return {
				list,
				path,
				problem: `lies in "${outer.path}" (${outer.list}), in which a sandbox may put something else in its place: list one of them`,
			};
		}
	}

	return undefined;
}
