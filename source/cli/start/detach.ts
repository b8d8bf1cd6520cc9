import {closeSync, constants, mkdirSync, openSync} from 'node:fs';
import {join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import {messageOf} from '../../core/errors.ts';
import {ownFileFlags} from '../../core/own-files.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Gateway} from '../../gateway/gateway.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {leaveTerminal} from '../../terminal/leave-terminal.ts';
import type {FirstRunCard} from '../../tui/commands/first-run.ts';
import type {Context} from '../console/context.ts';
import {tell, tellEach} from '../console/print.ts';
import type {AskedToStop} from '../console/signals.ts';

/**
 * Keeps this process's gateway running without a terminal, which is given back or gone; resolves when it is asked to stop. Output outside of its log goes to
 * `logs/gateway.out` from now on, or nowhere if that cannot be written.
 *
 * @throws SvcError when the gateway could not be started
 */
export async function detach(
	{context, stop}: Pick<Shown, 'context' | 'stop'>,
	gateway: Gateway,
): Promise<void> {
	const paths = context.paths();
	await gateway.started;
	tellEach(context, partingWords(gateway.port.getState(), process.pid));

	leaveTerminal(context, outputOf(context, paths));
	gateway.goOnAlone();
	releaseLauncher(context);
	await Promise.race([stop.asked, gateway.stopped]);
}

/** Aborts when the face must close: on a signal, loss of the terminal, or the end of this process's gateway. */
export function whenToLeave({stop, gateway}: Pick<Shown, 'stop' | 'gateway'>): AbortSignal {
	const ended = new AbortController();
	void gateway?.stopped.then(() => {
		ended.abort();
		return undefined;
	});
	return AbortSignal.any([stop.signal, stop.hungUp, ended.signal]);
}

/** Tries to open the output in advance: a failure can still be printed on the terminal, and is not fatal. */
function outputOf(context: Context, paths: HomePaths): () => number {
	const open = () => openOutput(paths, constants.O_APPEND).fd;
	try {
		closeSync(open());
		return open;
	} catch (error) {
		tell(context, `What is not for its log is kept nowhere: ${messageOf(error)}`);
		return () => openSync('/dev/null', 'w');
	}
}

/**
 * What to tell a person who leaves a gateway in the background: a problem that a banner showed on the screen, such as a receiver that does not listen, is visible
 * nowhere from now on.
 */
export const partingWords = (
	{webhook, api}: Pick<GatewayState, 'webhook' | 'api'>,
	pid: number,
): readonly string[] => [
	`The gateway goes on, process ${pid}: "svc" attaches, "svc gateway stop" ends it`,
	...(webhook.state === 'refused' ? [`It takes no webhooks: ${webhook.reason}`] : []),
	...(api?.state === 'refused' ? [`It does not serve the chat API: ${api.reason}`] : []),
];

/** Lets the launcher exit, so that the shell gets its prompt back. */
function releaseLauncher({launcher}: Pick<Context, 'launcher'>): void {
	// After its end, its process id may belong to another process.
	if (launcher !== undefined && process.ppid === launcher) {
		try {
			process.kill(launcher, 'SIGUSR1');
		} catch {
			// It has just ended.
		}
	}
}

/**
 * Opens the file for output outside of the gateway's log. `flags`: truncates (`O_TRUNC`) or appends (`O_APPEND`).
 *
 * @throws SvcError `file_planted`
 */
export function openOutput(
	{logs}: HomePaths,
	flags: number,
): {readonly path: string; readonly fd: number} {
	mkdirSync(logs, {recursive: true, mode: 0o700});
	const path = join(logs, 'gateway.out');
	const fd = openSync(
		path,
		constants.O_WRONLY | constants.O_CREAT | flags | ownFileFlags(path),
		0o600,
	);
	return {path, fd};
}

/** What a face of this process shows, and what ends it. */
export type Shown = {
	readonly context: Context;
	readonly port: GatewayPort;
	/** Absent if `port` belongs to another process. */
	readonly gateway: Gateway | undefined;
	readonly firstRun: FirstRunCard | undefined;
	/** Continues while the screen is shown; its rejection ends the screen. */
	readonly begun?: Promise<void>;
	readonly stop: AskedToStop;
	/** Whether the gateway never outlives its face. */
	readonly endsWithFace: boolean;
};
