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
 * Lets the gateway of this process go on without a terminal, which is given back, or gone; resolves when it is asked to stop. What is not for its log goes to
 * `logs/gateway.out` from now on, or nowhere when that cannot be written.
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

/** Aborts when a face is to be left: a signal came, the terminal is gone, or the gateway of this process has ended. */
export function whenToLeave({stop, gateway}: Pick<Shown, 'stop' | 'gateway'>): AbortSignal {
	const ended = new AbortController();
	void gateway?.stopped.then(() => {
		ended.abort();
		return undefined;
	});
	return AbortSignal.any([stop.signal, stop.hungUp, ended.signal]);
}

/** Opened once before it is needed: a failure is printed while there is a terminal, and ends nothing. */
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

/** What a person should know who leaves a gateway to itself: on the screen a banner said that nothing listens, from here on nothing does. */
export const partingWords = (
	{webhook, api}: Pick<GatewayState, 'webhook' | 'api'>,
	pid: number,
): readonly string[] => [
	`The gateway goes on, process ${pid}: "svc" attaches, "svc gateway stop" ends it`,
	...(webhook.state === 'refused' ? [`It takes no webhooks: ${webhook.reason}`] : []),
	...(api?.state === 'refused' ? [`It does not serve the chat API: ${api.reason}`] : []),
];

/** Lets the process that started this one exit; the shell has its prompt back then. */
function releaseLauncher({launcher}: Pick<Context, 'launcher'>): void {
	// Once it is gone, its number may belong to another process.
	if (launcher !== undefined && process.ppid === launcher) {
		try {
			process.kill(launcher, 'SIGUSR1');
		} catch {
			// It went this very moment.
		}
	}
}

/**
 * Where a gateway without a terminal says what is not for its log. `flags`: whether it begins anew (`O_TRUNC`) or goes on (`O_APPEND`).
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
	/** Absent: `port` is that of another process. */
	readonly gateway: Gateway | undefined;
	readonly firstRun: FirstRunCard | undefined;
	/** Goes on behind the screen, which ends when it rejects. */
	readonly begun?: Promise<void>;
	readonly stop: AskedToStop;
	/** The gateway never outlives what shows it. */
	readonly endsWithFace: boolean;
};
