import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import type {HandlerCommand} from './handler-command.ts';
import {runTool} from './run-tool.ts';

const key = String.raw`HKCU\Software\Classes\svc`;

/** The calls of `reg` that make this program the handler of `svc:`. Nobody has run them yet. */
export function windowsSteps({argv}: HandlerCommand): ReadonlyArray<readonly string[]> {
	const line = [...argv.map(windowsWord), '"%1"'].join(' ');
	return [
		['add', key, '/ve', '/d', 'URL:svc', '/f'],
		['add', key, '/v', 'URL Protocol', '/d', '', '/f'],
		['add', String.raw`${key}\shell\open\command`, '/ve', '/d', line, '/f'],
	];
}

/** One argument, as the C runtime of Windows takes command lines apart. */
const windowsWord = (word: string): string =>
	`"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;

/** @throws SvcError `handler_unavailable` when `reg` fails, and where the home is another one than the user's: a registered line sets no variables */
export async function registerOnWindows(
	context: Context,
	command: HandlerCommand,
): Promise<readonly string[]> {
	if (Object.keys(command.variables).length > 0) {
		throw new SvcError(
			'handler_unavailable',
			'Cannot register the svc:// scheme: SVC_HOME is set; set it for your user, and register without it',
		);
	}

	for (const args of windowsSteps(command)) {
		// oxlint-disable-next-line no-await-in-loop -- the last one makes it work
		await run(context, args);
	}

	return [`Wrote ${key}`];
}

export async function unregisterOnWindows(context: Context): Promise<readonly string[]> {
	await run(context, ['delete', key, '/f']);
	return [`Removed ${key}`];
}

async function run(context: Context, args: readonly string[]): Promise<void> {
	const outcome = await runTool(context, 'reg', args);
	if (outcome !== 'done') {
		throw new SvcError(
			'handler_unavailable',
			`Cannot register the svc:// scheme: "reg" ${outcome === 'missing' ? 'is not there' : `failed: ${outcome.failed}`}`,
		);
	}
}
