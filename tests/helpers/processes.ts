import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {setImmediate, setTimeout} from 'node:timers/promises';

/**
 * Flags for a Node that a test starts. How V8 collects garbage is not what is tested; helpers that wait for one another took up to a third of the
 * processor. None outside of tests: what is measured is what users run.
 */
export const flagsInTests: readonly string[] = process.env['VITEST']
	? ['--single-threaded-gc']
	: [];

const firstLooks = 50;
const pauseMs = 5;
const maxPauseMs = 50;

/**
 * Waits for what no event tells of: a process that ends, a file that another process writes. Looks once per turn of the event loop at first,
 * then with pauses that grow, since a loop that only looks takes the time that the other process needs. The bound is the test's own.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
	for (let looks = 0; !(await isSo()); looks++) {
		await (looks < firstLooks ? setImmediate() : setTimeout(pauseAfter(looks)));
	}
}

const pauseAfter = (looks: number) => Math.min(pauseMs + (looks - firstLooks) / 4, maxPauseMs);

/** What is in the file at `path`, as soon as it is there. */
export async function readWhenThere(path: string): Promise<string> {
	await until(() => existsSync(path));
	return readFileSync(path, 'utf8');
}

/** State (`Z`: has ended, not waited for yet), parent and group of a process; `undefined` when there is none. Linux. */
export function processAt(pid: number) {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
		const [state = '', parent = '', group = ''] = text.slice(text.lastIndexOf(') ') + 2).split(' ');
		const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
		return {pid, state, parent: Number(parent), group: Number(group), args};
	} catch {
		return undefined;
	}
}

export type Process = NonNullable<ReturnType<typeof processAt>>;

/** Every process that runs now. What has ended and was not waited for yet runs no more. */
export const processes = (): readonly Process[] =>
	readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.flatMap(name => processAt(Number(name)) ?? [])
		.filter(({state}) => state !== 'Z');

/** Identifiers of the processes that run now and have `word` in their command line. */
export const processesWith = (word: string): readonly number[] =>
	processes()
		.filter(({args}) => args.includes(word))
		.map(({pid}) => pid);

/** Every process below `pid`, whatever group it has made for itself. */
export function descendantsOf(pid: number): readonly Process[] {
	const all = processes();
	const below = (parent: number): readonly Process[] =>
		all.filter(each => each.parent === parent).flatMap(child => [child, ...below(child.pid)]);
	return below(pid);
}

/** Dead; a process that its new parent has not buried yet is dead all the same. */
export function isGone(pid: number): boolean {
	const state = processAt(pid)?.state;
	return state === undefined || state === 'Z';
}
