import {runInGroup} from '../../core/process-group.ts';
import type {SandboxLimits} from '../sandbox/control-group.ts';
import type {SandboxExit} from '../sandbox/run-in-sandbox.ts';
import {watchLimits} from '../sandbox/watch-limits.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';

/** Runs a command without a sandbox, which a person was told and agreed to, within the same limits. Never rejects. */
export async function runOpen(
	[program = '', ...args]: readonly string[],
	{
		run: {
			profile: {environment, userHome},
		},
		cwd,
		signal,
		timeoutMs,
		limits,
		outputBytes,
	}: {
		readonly run: ToolsRun;
		readonly cwd: string;
		readonly signal: AbortSignal;
		readonly timeoutMs: number;
		readonly limits: SandboxLimits;
		/** How much of the output is kept: as much of its beginning as of its end. */
		readonly outputBytes: number;
	},
	{clock}: Pick<ToolsWorld, 'clock'>,
): Promise<SandboxExit> {
	const above = new AbortController();
	let limit: string | undefined;
	const exit = await runInGroup(
		{
			command: program,
			args,
			env: {HOME: userHome, PATH: environment['PATH'] ?? '/usr/bin:/bin', TERM: 'dumb'},
			cwd,
			input: '',
			stdout: {limitBytes: outputBytes, above: 'keep-ends'},
			stderr: {limitBytes: 1000, above: 'keep-start'},
			timeoutMs,
			termGraceMs: 0,
			signal,
			killed: above.signal,
			onStart: pid =>
				process.platform === 'linux'
					? watchLimits(pid, limits, {
							clock,
							onAbove(reached) {
								limit = reached;
								above.abort();
							},
						})
					: {[Symbol.dispose]() {}},
		},
		{clock},
	);
	const {stdout: output = ''} =
		exit.kind === 'not-started' || exit.kind === 'too-much-output' ? {} : exit;
	switch (exit.kind) {
		case 'exited':
			return {...exit, code: exit.code ?? 137, output};

		case 'aborted':
			return limit === undefined ? {kind: 'aborted', output} : {kind: 'above-limit', limit, output};

		case 'timeout':
			return {kind: 'timeout', output};

		case 'not-started':
		case 'too-much-output':
			return {kind: 'not-started', reason: exit.kind};
	}
}
