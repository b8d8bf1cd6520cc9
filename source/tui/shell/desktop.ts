import {mkdir, open} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {Clock} from '../../core/clock.ts';
import {replaceFile, refuseSymlink} from '../../core/own-files.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import {createClipboard} from '../../terminal/clipboard.ts';
import {isStalled} from '../../terminal/free-writes.ts';
import type {TerminalModes} from '../../terminal/modes.ts';
import {editText, openFile, pageText, type Lending, type Suspend} from '../../terminal/suspend.ts';
import {layOutMarkdown} from '../../terminal/text/markdown.ts';
import type {Desktop} from './shell.ts';
import type {TuiOptions} from './tui-world.ts';

type DesktopOptions = Pick<
	TuiOptions,
	| 'editor'
	| 'environment'
	| 'examine'
	| 'home'
	| 'manualSettings'
	| 'pager'
	| 'readManual'
	| 'startGateway'
> & {
	/** Whether the shell gets its prompt back while this process's gateway keeps running. */
	readonly givesPromptBack: boolean;
	/** This process's gateway never outlives the interface. */
	readonly endsWithFace?: boolean | undefined;
	readonly signal: AbortSignal;
};

type DesktopWorld = {
	readonly clock: Clock;
	readonly stdout: NodeJS.WriteStream;
	readonly modes: TerminalModes;
	/** Ink's function, once available. */
	readonly suspend: Suspend;
	readonly holdInterrupts: () => () => void;
	readonly leave: (reason: 'quit' | 'let-go') => void;
};

/** Longer lines are hard to follow. */
const maxManualWidth = 100;

const bell = '\u0007';

const pageLimits = {maxLength: 8_000_000, maxLines: 200_000};

/** The clipboard, the editor and the pager of the person at the terminal. */
export function createDesktop(
	{clock, stdout, modes, suspend, holdInterrupts, leave}: DesktopWorld,
	options: DesktopOptions,
): Desktop {
	const {editor, home, environment, signal} = options;
	const clipboard = createClipboard(
		{write: sequence => void stdout.write(sequence), clock},
		{environment, directory: join(home, 'clip'), isTty: stdout.isTTY},
	);
	const directory = join(home, 'cache', 'open');
	const lending: Lending = {suspend, modes, holdInterrupts, directory, environment, signal};
	const page = async (text: string) =>
		pageText(lending, options.pager, escapeBlock(text, pageLimits));

	return {
		async copy(text) {
			const {message} = await clipboard.copy(text);
			return message;
		},
		edit: async (text, suffix) => editText(lending, editor, {text, suffix}),
		async keep(name, text) {
			const path = join(home, 'cache', name);
			await mkdir(dirname(path), {recursive: true, mode: 0o700});
			refuseSymlink(path);
			await replaceFile(path, text);
			return escapeLine(path);
		},
		page,
		async pageHealth(mayOpen) {
			const found = await options.examine();
			if (mayOpen()) {
				await page(found);
			}
		},
		startGateway: options.startGateway,
		pageFile: async path => page(await endOf(path)),
		async manual(topic) {
			const text = options.readManual(topic);
			if (text === undefined) {
				return false;
			}

			const width = Math.min(stdout.columns || maxManualWidth, maxManualWidth);
			const rows = layOutMarkdown(text, width).map(row => row.text);
			await page(`${rows.join('\n')}\n`);
			return true;
		},
		settings: options.manualSettings,
		redraw() {
			// Ink redraws every row when it gets the terminal back, so lend it for an empty task.
			void suspend(async () => {});
		},
		openFile: async (path, lineOf) => openFile(lending, editor, {path, lineOf}),
		ring() {
			if (stdout.isTTY) {
				stdout.write(bell);
			}
		},
		isStalled: () => isStalled(stdout),
		leave: () => leave('quit'),
		givesPromptBack: options.givesPromptBack,
		endsWithFace: options.endsWithFace === true,
		letGo: () => leave('let-go'),
	};
}

/** The last whole lines of a file, at most 8 MB. */
async function endOf(path: string): Promise<string> {
	await using file = await open(path, 'r');
	const {size} = await file.stat();
	const start = Math.max(0, size - pageLimits.maxLength);
	const {buffer, bytesRead} = await file.read({
		buffer: Buffer.alloc(size - start),
		position: start,
	});
	const text = buffer.toString('utf8', 0, bytesRead);
	const whole = start === 0 ? text : text.slice(text.indexOf('\n') + 1);
	return whole.split('\n').slice(-pageLimits.maxLines).join('\n');
}
