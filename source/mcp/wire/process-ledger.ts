import {readFile} from 'node:fs/promises';
import {z} from 'zod';
import {writePrivateFile} from '../../config/write-private-file.ts';
import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {withFileLock} from '../../core/file-lock.ts';
import {createMutex} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import {endGroup} from './end-group.ts';
import {startOfProcess} from './process-start.ts';

const processSchema = z.object({pid: z.int().min(2), started: z.string().max(100)});

const entrySchema = processSchema.extend({
	pgid: z.int().min(2),
	/** The process that started it. */
	owner: processSchema,
});

const ledgerSchema = z.object({processes: z.array(entrySchema).max(10_000)});

type Entry = z.infer<typeof entrySchema>;

type Edit = (entries: readonly Entry[]) => readonly Entry[] | Promise<readonly Entry[]>;

const lockWaitMs = 2000;

export type ProcessLedger = {
	/** Notes a group leader that this process has started. */
	add(pgid: number): Promise<void>;
	remove(pgid: number): Promise<void>;
	/** Ends what processes that are gone have left, and forgets it. Returns how many groups that were. */
	sweep(): Promise<number>;
};

/**
 * The tool servers' processes in a file (0600, replaced as a whole), so that the next start finds those that a crash of the machine's
 * supervisor and of ours has left. A process is ended only when its number and its start are those noted, and its owner is gone: several programs of one home may
 * write here. A file that cannot be read or written costs the second safety net, and is said once.
 */
export function createProcessLedger({
	path,
	clock,
	log,
}: Pick<World, 'clock' | 'log'> & {readonly path: string}): ProcessLedger {
	let hasWarned = false;
	let self: Promise<string | undefined> | undefined;
	const oneByOne = createMutex();

	const change = async (edit: Edit) => {
		try {
			await withFileLock(
				`${path}.lock`,
				async () => {
					const processes = await edit(await read(path));
					await writePrivateFile(path, `${JSON.stringify({processes})}\n`);
				},
				{waitMs: lockWaitMs, clock},
			);
		} catch (error) {
			if (!hasWarned) {
				log.warn('Cannot note the processes of tool servers', {path, error: messageOf(error)});
			}

			hasWarned = true;
		}
	};

	const queue = async (edit: Edit) => oneByOne(async () => change(edit));

	return {
		async add(pgid) {
			self ??= startOfProcess(process.pid, {clock});
			await queue(async entries => {
				const [started, ownerStarted] = await Promise.all([startOfProcess(pgid, {clock}), self]);
				return started === undefined || ownerStarted === undefined
					? entries
					: [
							...entries,
							{pid: pgid, pgid, started, owner: {pid: process.pid, started: ownerStarted}},
						];
			});
		},
		async remove(pgid) {
			await queue(entries =>
				entries.filter(entry => entry.pgid !== pgid || entry.owner.pid !== process.pid),
			);
		},
		async sweep() {
			const entries = await read(path);
			const isLeft = await Promise.all(
				entries.map(async ({owner}) => !(await isProcess(owner, clock))),
			);
			const left = entries.filter((_, index) => isLeft[index]);
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

const isProcess = async (
	{pid, started}: {readonly pid: number; readonly started: string},
	clock: Clock,
) => (await startOfProcess(pid, {clock})) === started;

/** A file that is missing or broken holds nothing. */
async function read(path: string): Promise<readonly Entry[]> {
	try {
		return ledgerSchema.parse(JSON.parse(await readFile(path, 'utf8'))).processes;
	} catch {
		return [];
	}
}
