import {type ChildProcess, spawn} from 'node:child_process';
import type {Environment} from '../../config/environment.ts';
import {type Clock, sleep} from '../../core/clock.ts';
import type {World} from '../../core/world.ts';
import {createProcessLedger} from './process-ledger.ts';

export type ProcessGroups = ReturnType<typeof createProcessGroups>;

/** No process of a tool server survives this one: a supervisor ends them when we are killed, a ledger at the next start when both were. */
export function createProcessGroups(
	world: Pick<World, 'clock' | 'log'> & {
		readonly ledgerPath: string;
		readonly environment: Environment;
	},
) {
	const {clock, log, ledgerPath, environment} = world;
	const ledger = createProcessLedger({path: ledgerPath, clock, log});
	const supervisor = createGroupSupervisor(clock, environment);
	const writing = new Set<Promise<void>>();
	let swept: Promise<void> | undefined;

	const write = (task: Promise<void>) => {
		writing.add(task);
		void task.finally(() => writing.delete(task));
	};

	const sweep = async () => {
		const count = await ledger.sweep();
		if (count > 0) {
			log.warn('Ended processes of tool servers that an earlier start has left', {groups: count});
		}
	};

	return {
		/** Resolves when what an earlier process left has been ended. To be awaited before a server is started. */
		async ready(): Promise<void> {
			swept ??= sweep();
			await swept;
		},
		/** Call it in the turn that started the group's leader: from then on no end of this process leaves the group behind. */
		add(pgid: number): void {
			supervisor.add(pgid);
			write(ledger.add(pgid));
		},
		/** The group has ended. */
		remove(pgid: number): void {
			supervisor.remove(pgid);
			write(ledger.remove(pgid));
		},
		async [Symbol.asyncDispose]() {
			await supervisor[Symbol.asyncDispose]();
			await Promise.all(writing);
		},
	};
}

/** Begins with the groups of its arguments, and reads `+ GROUP` and `- GROUP`; at the end of its input it ends the groups that are left. Only numbers reach it. */
const script = `
trap '' TERM INT HUP
groups=$*
while read -r change group; do
	case $change in
	+) groups="$groups $group" ;;
	-)
		rest=
		for other in $groups; do
			[ "$other" = "$group" ] || rest="$rest $other"
		done
		groups=$rest
		;;
	esac
done
[ -z "$groups" ] && exit
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** How long it may take to end: the second it gives its groups, and some. */
const endMs = 2000;

/** After so many it is not started again; the ledger is left. */
const maxStarts = 10;

/**
 * One small shell beside the gateway that outlives it: the kernel closes its input when this process ends, however it ends, and then it ends
 * the groups it was told of. It is started with the first group, again if it was ended, and does not keep this process alive.
 */
function createGroupSupervisor(clock: Clock, environment: Environment) {
	const groups = new Set<number>();
	let shell: ChildProcess | undefined;
	let starts = 0;
	let isOver = false;

	const tell = (change: '+' | '-', pgid: number) => shell?.stdin?.write(`${change} ${pgid}\n`);

	const start = () => {
		// As arguments: when this process is killed before it could write them down the pipe, the shell knows them all the same.
		const child = spawn('/bin/sh', ['-c', script, 'sh', ...[...groups].map(String)], {
			cwd: '/',
			detached: true,
			env: {PATH: environment['PATH'] ?? '/usr/bin:/bin'},
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		const forget = () => {
			shell = shell === child ? undefined : shell;
			if (!isOver && groups.size > 0 && starts < maxStarts) {
				start();
			}
		};

		starts++;
		child.once('error', () => {
			shell = undefined;
		});
		child.once('exit', forget);
		child.stdin?.on('error', () => {});
		child.unref();
		shell = child;
	};

	return {
		/** From now on this group ends when this process does. */
		add(pgid: number): void {
			groups.add(pgid);
			if (shell) {
				tell('+', pgid);
			} else {
				start();
			}
		},
		/** The group is gone; its number may be another's. */
		remove(pgid: number): void {
			groups.delete(pgid);
			tell('-', pgid);
		},
		async [Symbol.asyncDispose]() {
			isOver = true;
			const child = shell;
			if (!child) {
				return;
			}

			const ended = new AbortController();
			child.once('exit', () => ended.abort());
			child.stdin?.end();
			await sleep(clock, endMs, ended.signal).catch(() => {});
		},
	};
}
