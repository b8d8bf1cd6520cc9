import {type LimitedJob, runLimited, type SandboxExit} from '../sandbox/run-in-sandbox.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';

/** Runs a command without a sandbox, which a person was told and agreed to, within the same limits. Never rejects. */
export async function runOpen(
	[command = '', ...args]: readonly string[],
	{run: {profile}, cwd, ...job}: LimitedJob & {readonly run: ToolsRun; readonly cwd: string},
	{clock}: Pick<ToolsWorld, 'clock'>,
): Promise<SandboxExit> {
	const {environment, userHome} = profile;
	const env = {HOME: userHome, PATH: environment['PATH'] ?? '/usr/bin:/bin', TERM: 'dumb'};
	return runLimited({command, args, env, cwd}, job, {clock});
}
