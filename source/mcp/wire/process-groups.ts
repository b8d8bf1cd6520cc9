import {type ChildProcess, spawn} from 'node:child_process';
import type {Environment} from '../../config/environment.ts';
import {type Clock, sleep} from '../../core/clock.ts';
import type {World} from '../../core/world.ts';
import {createProcessLedger} from './process-ledger.ts';

export type ProcessGroups = ReturnType<typeof createProcessGroups>;

/** Ensures that no tool server's process outlives this one: a supervisor ends them if svc is killed; a ledger does at the next start if both were killed. */
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
		/** Resolves when processes left by an earlier svc have been ended. Await it before starting a server. */
		async ready(): Promise<void> {
			swept ??= sweep();
			await swept;
		},
		/** Call in the same turn that started the group's leader: from then on the group cannot outlive this process. */
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

/** Starts with the groups in its arguments, then reads `+ GROUP` and `- GROUP`; at the end of input, ends the remaining groups. It receives only numbers. */
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

/** How long the supervisor may take to end: its groups get one second. */
const endMs = 2000;

/** After this many starts it is not restarted; only the ledger remains. */
const maxStarts = 10;

/**
 * A small shell next to the gateway, which outlives it: the kernel closes the shell's input when this process ends for whatever reason, and the shell then ends
 * the groups it was told of. Started with the first group, restarted if it was ended, and does not keep this process alive.
 */
function createGroupSupervisor(clock: Clock, environment: Environment) {
	const groups = new Set<number>();
	let shell: ChildProcess | undefined;
	let starts = 0;
	let isOver = false;

	const tell = (change: '+' | '-', pgid: number) => shell?.stdin?.write(`${change} ${pgid}\n`);

	const start = () => {
		// Passed as arguments: the shell then knows the groups even if this process is killed before it writes to the pipe.
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
		/** From now on this group ends with this process. */
		add(pgid: number): void {
			groups.add(pgid);
			if (shell) {
				tell('+', pgid);
			} else {
				start();
			}
		},
		/** The group is gone; its number may be reused. */
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
