import {readFile} from 'node:fs/promises';
import type {Clock} from '../../core/clock.ts';
import {runInGroup} from '../../core/process-group.ts';

/**
 * When a process was started, in the words of this system: with its number it names the process for good, since numbers are given again. The same
 * text for the same process as long as the machine runs. `undefined` when there is none, or it is dead and not buried yet.
 *
 * @see proc_pid_stat(5), field 22
 */
export async function startOfProcess(
	pid: number,
	{clock}: {readonly clock: Clock},
): Promise<string | undefined> {
	try {
		const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
		// The second field is the program's name in brackets; it may hold anything.
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
