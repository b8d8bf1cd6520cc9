import {manualSettings} from '../../source/cli/manual/read-page.ts';
import {escapeLine} from '../../source/core/untrusted.ts';
import {App} from '../../source/tui/frame/app.tsx';
import {createShell, type ShellOptions} from '../../source/tui/shell/create-shell.ts';
import type {Desktop, Shell} from '../../source/tui/shell/shell.ts';
import {createFakeClock, type FakeClock} from './fake-clock.ts';
import {createFakeLogins, type FakeLogins} from './fake-logins.ts';
import type {FakePort} from './fake-port.ts';
import {renderTui, type Screen, type ScreenSize} from './screen.tsx';

/** The noon that tests happen at, in whatever time zone they run. */
export const testNow = new Date(2026, 10, 20, 12, 0, 0).getTime();

export type FakeDesktop = Omit<Desktop, 'givesPromptBack' | 'endsWithFace'> & {
	readonly copied: string[];
	readonly paged: string[];
	/** Settles when the installation was looked at. */
	examined: Promise<void>;
	readonly edited: string[];
	/** Texts that were kept, by the name of their file. */
	readonly kept: Map<string, string>;
	/** Files that were opened, with the line. */
	readonly opened: string[];
	/** What such a file holds. */
	file: string;
	rings: number;
	/** What the editor saves next; `undefined`: nothing was changed. */
	next: string | undefined;
	left: number;
	letGone: number;
	started: number;
	givesPromptBack: boolean;
	endsWithFace: boolean;
};

/** A clipboard, an editor and a pager that only remember. */
export function createFakeDesktop(): FakeDesktop {
	const desktop: FakeDesktop = {
		copied: [],
		paged: [],
		examined: Promise.resolve(),
		edited: [],
		kept: new Map(),
		next: undefined,
		opened: [],
		file: '',
		rings: 0,
		left: 0,
		letGone: 0,
		started: 0,
		givesPromptBack: true,
		endsWithFace: false,
		async copy(text) {
			desktop.copied.push(text);
			return escapeLine('copied by OSC 52');
		},
		async edit(text) {
			desktop.edited.push(text);
			return desktop.next;
		},
		async page(text) {
			desktop.paged.push(text);
		},
		async pageFile(path) {
			desktop.paged.push(`file ${path}`);
		},
		async pageHealth(mayOpen) {
			await desktop.examined;
			if (mayOpen()) {
				desktop.paged.push('health');
			}
		},
		async manual(topic) {
			desktop.paged.push(`manual ${topic}`);
			return topic !== 'nowhere';
		},
		async startGateway() {
			desktop.started += 1;
			return 'The gateway runs in the background, process 4243';
		},
		settings: manualSettings,
		async keep(name, text) {
			desktop.kept.set(name, text);
			return escapeLine(`/home/ann/.svc/cache/${name}`);
		},
		async openFile(path, lineOf) {
			desktop.opened.push(`${path}:${lineOf(desktop.file) ?? ''}`);
		},
		ring() {
			desktop.rings += 1;
		},
		redraw() {},
		isStalled: () => false,
		leave() {
			desktop.left += 1;
		},
		letGo() {
			desktop.letGone += 1;
		},
	};
	return desktop;
}

export type ShownShell = AsyncDisposable & {
	readonly shell: Shell;
	readonly screen: Screen;
	readonly clock: FakeClock;
	readonly desktop: FakeDesktop;
	readonly logins: FakeLogins;
	/** Lets time pass, promises settle, and the screen be drawn. */
	pass(ms: number): Promise<void>;
	/** The screen as one text. */
	text(): string;
	/** What the toast says where it is shown, behind a blank; the last row when there is none. */
	said(): string;
	resize(size: ScreenSize): Promise<void>;
};

/** The whole interface over `port` in a terminal emulator, with a fake clock at noon. */
export async function showShell(
	port: FakePort,
	{columns, rows}: ScreenSize,
	options: Partial<ShellOptions> = {},
): Promise<ShownShell> {
	const clock = createFakeClock(testNow);
	const desktop = createFakeDesktop();
	const logins = createFakeLogins(clock);
	const shell = createShell(
		{port, logins, clock, desktop},
		{size: {columns, rows}, theme: 'dark', ssh: false, version: '1.0', ...options},
	);
	// Keys come at the time of the shell, as in the product; what is held for its rest has timers of its own.
	const held = createFakeClock();
	const inputClock = {
		...held,
		now: () => clock.now(),
		monotonic: () => clock.monotonic(),
	};
	const screen = await renderTui(<App shell={shell} />, {columns, rows}, {inputClock});
	const settle = async () => {
		for (let turn = 0; turn < 5; turn += 1) {
			// oxlint-disable-next-line no-await-in-loop -- promises of commands need turns of their own
			await new Promise(resolve => {
				setImmediate(resolve);
			});
		}

		await screen.settled();
	};

	await settle();
	return {
		shell,
		screen,
		clock,
		desktop,
		logins,
		async pass(ms) {
			// What plans its next tick only when the last is done needs a turn in between.
			for (let rest = ms; rest > 1000; rest -= 1000) {
				clock.advance(1000);
				// oxlint-disable-next-line no-await-in-loop -- one second after the other
				await settle();
			}

			clock.advance(ms === 0 ? 0 : ((ms - 1) % 1000) + 1);
			await settle();
		},
		text: () => screen.lines().join('\n'),
		said: () => saidOn(screen.lines(), shell.view.get().toast?.text),
		async resize(size) {
			// As in the product: Ink has answered with the old frame before React draws the new size.
			const resized = screen.resize(size);
			screen.clear();
			shell.view.set(state => ({...state, size}));
			await resized;
		},
		async [Symbol.asyncDispose]() {
			shell[Symbol.dispose]();
			await screen[Symbol.asyncDispose]();
		},
	};
}

/** Rows that a toast takes above the last one. */
const toastRows = 3;

function saidOn(lines: readonly string[], toast: string | undefined): string {
	const last = lines.at(-1) ?? '';
	const above = lines.slice(-1 - toastRows, -1);
	const rule = above.findLastIndex(row => row.startsWith('── '));
	if (toast === undefined || rule === -1 || last.includes(toast)) {
		return toast !== undefined && last.endsWith(toast) ? ` ${toast}` : last;
	}

	const rows = above.slice(rule).map(row => row.replace(/^── /, '').replace(/ ─+$/, '').trim());
	return ` ${rows.join(' ')}`;
}

/** The screen that the same interface would draw from nothing. */
export async function freshPicture({shell}: ShownShell): Promise<string> {
	await using fresh = await renderTui(<App shell={shell} />, shell.view.get().size);
	return fresh.picture();
}
