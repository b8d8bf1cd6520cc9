import {execFile} from 'node:child_process';
import {codeOf, messageOf} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';

/** What became of a program of the desktop. */
export type ToolOutcome = 'done' | 'missing' | {readonly failed: string};

const timeoutMs = 20_000;

/** Runs a program with its arguments, no shell between; for at most 20 s. Never rejects. */
export async function runTool(
	{environment}: Pick<Context, 'environment'>,
	program: string,
	args: readonly string[],
): Promise<ToolOutcome> {
	return new Promise(resolve => {
		execFile(
			program,
			[...args],
			{env: environment, timeout: timeoutMs, maxBuffer: 64 * 1024},
			(error, _, stderr) => {
				resolve(
					error === null
						? 'done'
						: codeOf(error) === 'ENOENT'
							? 'missing'
							: {failed: (stderr.trim() || messageOf(error)).slice(0, 500)},
				);
			},
		);
	});
}
