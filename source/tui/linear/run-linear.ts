import {createTerminalModes} from '../../terminal/modes.ts';
import {handleStops, holdInterrupts} from '../../terminal/signals.ts';
import {commandOf} from '../commands/table.ts';
import {createShell} from '../shell/create-shell.ts';
import {createDesktop} from '../shell/desktop.ts';
import {shellOptions, stateOf, type TuiEnd, type TuiWorld} from '../shell/tui-world.ts';
import {createLineInput} from './line-input.ts';
import {createLinear, type LinearSession} from './session.ts';

/** What is asked is laid out for a screen of this many rows: a page of it is about half of them. */
const rows = 29;

/** Columns that lines are broken at; a terminal breaks what is longer itself. */
const columns = {least: 60, most: 120} as const;

/**
 * The gateway behind `port` as questions and answers on a terminal, for screen readers and for terminals that can only append, until the person leaves; the gateway is not ended.
 * Must only be called when both streams are terminals. @see manual/linear.md
 */
export async function runLinear(world: TuiWorld): Promise<TuiEnd> {
	const {port, logins, clock, stdin, stdout, options} = world;
	await using stack = new AsyncDisposableStack();
	const ending = Promise.withResolvers<TuiEnd>();
	const stop = new AbortController();
	const leave = (reason: TuiEnd['reason']) => {
		ending.resolve({reason});
	};

	const parts: {session?: LinearSession} = {};
	const input = stack.use(
		createLineInput(
			{stdin, stdout, clock},
			{
				onLines(lines) {
					parts.session?.take(lines);
				},
				onInterrupt() {
					parts.session?.interrupt();
				},
				onEnd() {
					parts.session?.end();
				},
				onStop() {
					commandOf('suspend')?.run(shell);
				},
				onGone() {
					leave('terminal-gone');
				},
			},
		),
	);
	const desktop = createDesktop(
		{
			clock,
			stdout,
			modes: stack.use(createTerminalModes(input.write)),
			suspend: input.suspend,
			holdInterrupts: () => holdInterrupts(process),
			leave,
		},
		{...options, givesPromptBack: options.launcher !== undefined, signal: stop.signal},
	);
	const {size, ...begun} = shellOptions(world);
	const width = Math.max(columns.least, Math.min(columns.most, size.columns));
	const shell = stack.use(
		createShell(
			{port, logins, clock, desktop},
			{...begun, size: {columns: width, rows}, isRead: true},
		),
	);
	stack.defer(() => {
		options.saveState?.(stateOf(shell));
	});
	stack.defer(handleStops(process, input.suspend));
	const onAbort = () => {
		leave('aborted');
	};
	options.signal?.addEventListener('abort', onAbort, {once: true});
	stack.defer(() => {
		options.signal?.removeEventListener('abort', onAbort);
		stop.abort();
	});
	if (options.signal?.aborted === true) {
		leave('aborted');
	}

	const session = stack.use(createLinear(shell, input));
	parts.session = session;
	session.begin();
	return await ending.promise;
}
