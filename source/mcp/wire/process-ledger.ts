import {readFile} from 'node:fs/promises';
import {z} from 'zod';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import {runInGroup} from '../../core/process-group.ts';
import type {World} from '../../core/world.ts';
import {endGroup} from './end-group.ts';
import {replaceShared} from './shared-file.ts';

const processSchema = z.object({pid: z.int().min(2), started: z.string().max(100)});

const entrySchema = processSchema.extend({
	pgid: z.int().min(2),
	/** The process that started the group. */
	owner: processSchema,
});

const ledgerSchema = z.object({processes: z.array(entrySchema).max(10_000)});

type Entry = z.infer<typeof entrySchema>;

type Edit = (entries: readonly Entry[]) => readonly Entry[] | Promise<readonly Entry[]>;

const lockWaitMs = 2000;

/**
 * Records tool servers' processes in a file (mode 0600, replaced atomically), so that the next start finds those left when both svc and the supervisor crashed. A
 * process is ended only if its number and start time match and its owner is gone, because several programs may share the home's file. If the file cannot be read
 * or written, this safety net is lost, which is logged once.
 */
export function createProcessLedger(world: Pick<World, 'clock' | 'log'> & {readonly path: string}) {
	const {path, clock, log} = world;
	let hasWarned = false;
	let self: Promise<string | undefined> | undefined;
	const oneByOne = createMutex();

	const change = async (edit: Edit) => {
		try {
			const processes = async () => ({processes: await edit(await read(path))});
			await replaceShared(path, processes, {waitMs: lockWaitMs, clock, makesFolder: false});
		} catch (error) {
			if (!hasWarned) {
				log.warn('Cannot note the processes of tool servers', {path, error: messageOf(error)});
			}

			hasWarned = true;
		}
	};

	const queue = async (edit: Edit) => oneByOne(async () => change(edit));

	return {
		/** Records a group leader started by this process. */
		async add(pgid: number): Promise<void> {
			self ??= startOfProcess(process.pid, clock);
			await queue(async entries => {
				const [started, ownerStarted] = await Promise.all([startOfProcess(pgid, clock), self]);
				if (started === undefined || ownerStarted === undefined) {
					return entries;
				}

				const owner = {pid: process.pid, started: ownerStarted};
				return [...entries, {pid: pgid, pgid, started, owner}];
			});
		},
		async remove(pgid: number): Promise<void> {
			await queue(entries =>
				entries.filter(entry => entry.pgid !== pgid || entry.owner.pid !== process.pid),
			);
		},
		/** Ends processes whose owners are gone, and removes them from the file. Returns the number of groups. */
		async sweep(): Promise<number> {
			const entries = await read(path);
			const isOwned = await Promise.all(entries.map(async ({owner}) => isProcess(owner, clock)));
			const left = entries.filter((_, index) => !isOwned[index]);
			if (left.length === 0) {
				return 0;
			}

			const ended = await Promise.all(
				left.map(async entry => {
					const isThere = await isProcess(entry, clock);
					if (isThere) {
						await endGroup(entry.pgid, {clock, patienceMs: 0});
					}

					return isThere;
				}),
			);
			const forgotten = new Set(left.map(identify));
			await queue(current => current.filter(entry => !forgotten.has(identify(entry))));
			return ended.filter(Boolean).length;
		},
	};
}

const identify = ({pid, started, owner}: Entry) =>
	`${pid} ${started} ${owner.pid} ${owner.started}`;

const isProcess = async ({pid, started}: z.infer<typeof processSchema>, clock: Clock) =>
	(await startOfProcess(pid, clock)) === started;

/** A missing or broken file counts as empty. */
async function read(path: string): Promise<readonly Entry[]> {
	try {
		return ledgerSchema.parse(JSON.parse(await readFile(path, 'utf8'))).processes;
	} catch {
		return [];
	}
}

/**
 * A process's start time in this system's notation. Together with its number it identifies the process, because numbers are reused. Constant for a process while
 * the machine runs. `undefined` if there is no such process, or it is a zombie.
 *
 * @see proc_pid_stat(5), field 22
 */
export async function startOfProcess(pid: number, clock: Clock): Promise<string | undefined> {
	try {
		const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
		// The second field is the program's name in parentheses, which may contain anything.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' ? undefined : fields[19];
	} catch {
		return process.platform === 'linux' ? undefined : askPs(pid, clock);
	}
}

async function askPs(pid: number, clock: Clock): Promise<string | undefined> {
	const kept = {limitBytes: 200, above: 'keep-start'} as const;
	const exit = await runInGroup(
		{
			command: '/bin/ps',
			args: ['-o', 'lstart=', '-p', String(pid)],
			env: {LC_ALL: 'C'},
			cwd: '/',
			input: '',
			stdout: kept,
			stderr: kept,
			timeoutMs: 2000,
			termGraceMs: 0,
			signal: new AbortController().signal,
		},
		{clock},
	);
	return exit.kind === 'exited' && exit.code === 0 ? exit.stdout.trim() || undefined : undefined;
}
