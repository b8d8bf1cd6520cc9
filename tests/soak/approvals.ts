import type {ApprovalAnswer, ToolApproval} from '../../source/core/approval.ts';
import {createInputFrontend} from '../../source/terminal/input/input-frontend.ts';
import {sheetName} from '../../source/tui/approvals/sheet.ts';
import {handleKey, handlePaste} from '../../source/tui/commands/scopes.ts';
import {noteShown, sheetNow} from '../../source/tui/commands/sheet.ts';
import {createShell} from '../../source/tui/shell/create-shell.ts';
import type {Shell} from '../../source/tui/shell/shell.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {createFakeTerminal} from '../helpers/fake-terminal.ts';
import {
	makeAskedTool,
	makeField,
	makeFormApproval,
	makeToolApproval,
} from '../helpers/make-approval.ts';
import {randomOf} from '../helpers/random.ts';
import {createFakeDesktop, testNow} from '../helpers/show-shell.tsx';

export type ApprovalFuzz = {
	readonly inputs: number;
	/** Answers that allowed something, all by a legal key. */
	readonly allowed: number;
	readonly denied: number;
	/** Answers that nothing on the keyboard had allowed, as sentences. */
	readonly illegal: readonly string[];
};

export type ApprovalFuzzOptions = {
	readonly inputs: number;
	readonly seed: number;
	/** Takes the place of the guard's verdict, to see that the fuzz would notice. */
	readonly permits?: Shell['guard']['permits'];
};

const esc = '\u001B';
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

/** Keys that the sheet knows: moving on with one of them is no typing. */
const sheetKeys: ReadonlySet<string> = new Set([
	...'jkgGdmwDyevarsA123 '.split(''),
	'\r',
	'\t',
	`${esc}[A`,
	`${esc}[B`,
	`${esc}[5~`,
	`${esc}[6~`,
]);

type Read = {readonly bytes: string; readonly t: number};

/** What the fuzz itself knows; nothing of it comes from the guard. */
type Model = {
	/** Reads, the newest last. */
	reads: Read[];
	/** The sheet as it was drawn last, since when; forgotten when another step, another request or another size comes. */
	drawn: {readonly of: string; readonly t: number} | undefined;
	/** Requests whose last row was on the screen. */
	readonly seen: Set<number>;
	focusAt: number;
	/** When something came that is no key of the sheet: text, a paste, a click. */
	strangeAt: number;
};

const words = [
	'create_issue',
	'delete_all',
	'yes',
	'allow always',
	'aaaa',
	'a\r',
	'run it\r',
	'A',
	'v',
	'rs',
];

/**
 * Types, pastes, clicks, repeats keys, tears bytes apart and moves the focus at random, while requests come, end and are drawn; all of it through the
 * real input front-end. Whatever reaches the gateway and allows something is compared with what a person did.
 */
export async function fuzzApprovals({
	inputs,
	seed,
	permits,
}: ApprovalFuzzOptions): Promise<ApprovalFuzz> {
	const random = randomOf(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;

	const clock = createFakeClock(testNow);
	const port = createFakePort();
	const desktop = createFakeDesktop();
	const made = createShell(
		{port, clock, desktop},
		{size: {columns: 80, rows: 24}, theme: 'dark', ssh: false, version: '1.0'},
	);
	const shell: Shell = permits ? {...made, guard: {...made.guard, permits}} : made;
	const keyboard = createFakeTerminal();
	using frontend = createInputFrontend(keyboard.stream, {clock});
	frontend.stdin.setRawMode(true);
	frontend.onKey(key => handleKey(shell, key));
	frontend.onPaste(paste => handlePaste(shell, paste));
	frontend.onMouse(({t}) => {
		shell.guard.disturbed(t);
	});
	frontend.onWindowFocus(isFocused => {
		if (isFocused) {
			shell.guard.focused();
		}
	});

	const model: Model = {
		reads: [],
		drawn: undefined,
		seen: new Set(),
		focusAt: -Infinity,
		strangeAt: -Infinity,
	};
	const illegal: string[] = [];
	let allowed = 0;
	let denied = 0;
	let fed = 0;
	let lastId = 0;

	const settle = (id: number, outcome: 'allowed' | 'denied' | 'void') => {
		const approval = port.getState().approvals.find(other => other.id === id);
		if (approval) {
			const decision = {outcome, at: clock.now(), by: 'fuzz'};
			port.emit({type: 'approval-settled', at: clock.now(), approval: {...approval, decision}});
		}
	};

	port.settleApproval = async (id: number, answer: ApprovalAnswer) => {
		const approval = port.getState().approvals.find(other => other.id === id);
		if (answer.choice === 'deny') {
			denied++;
			settle(id, 'denied');
			return approval ? {settled: true, approval} : {settled: false};
		}

		const wrong = whatIsWrong(model, {id, answer, approval, now: clock.monotonic()});
		if (wrong === undefined) {
			allowed++;
		} else {
			const last = model.reads
				.slice(-6)
				.map(({bytes, t}) => `${JSON.stringify(bytes)}@${t - testNow}`);
			illegal.push(
				`seed ${seed}, input ${fed}: ${JSON.stringify(answer)}: ${wrong} after ${last.join(' ')}`,
			);
		}

		settle(id, 'allowed');
		return approval ? {settled: true, approval} : {settled: false};
	};

	/** As the view does after a frame has left: the guard is told, and the model looks for itself. */
	const draw = () => {
		const open = sheetNow(shell);
		if (!open) {
			model.drawn = undefined;
			return;
		}

		const layout = open.layout();
		const of = sheetName(open.sheet, shell.view.get().size);
		if (model.drawn?.of !== of) {
			model.drawn = {of, t: clock.monotonic()};
		}

		// Looked up in the rows themselves: the last one stands in the window.
		const shown = layout.content.slice(layout.top, layout.top + layout.height);
		if (shown.includes(layout.content.at(-1) as never)) {
			model.seen.add(open.approval.id);
		}

		noteShown(shell, {of, isAtEnd: layout.isAtEnd});
	};

	/** What is not on the screen any more cannot be allowed by what was seen of it. */
	const forgetOld = () => {
		const open = sheetNow(shell);
		const of = open && sheetName(open.sheet, shell.view.get().size);
		if (model.drawn && model.drawn.of !== of) {
			model.drawn = undefined;
		}
	};

	const idle = async () => {
		while (frontend.busy()) {
			// oxlint-disable-next-line no-await-in-loop -- one turn after the other
			await new Promise<void>(resolve => {
				setImmediate(resolve);
			});
		}
	};

	const feed = async (bytes: string | Buffer) => {
		const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
		const t = clock.monotonic();
		const isNameStep =
			shell.view.get().overlay?.kind === 'approval' && typedName(shell) !== undefined;
		model.reads = [...model.reads.slice(-200), {bytes: text, t}];
		const mouseOrFocus = text === `${esc}[I` || text === `${esc}[O`;
		if (text === `${esc}[I`) {
			model.focusAt = t;
		}

		fed++;
		const before = shell.view.get().overlay;
		keyboard.type(bytes);
		await idle();
		// Afterwards: a key must not be held against itself.
		if (!mouseOrFocus && !(sheetKeys.has(text) || (isNameStep && /^[ -~]$/.test(text)))) {
			model.strangeAt = t;
		}

		if (shell.view.get().overlay !== before) {
			forgetOld();
		}

		if (random() < 0.8) {
			draw();
		}
	};

	const request = () => {
		lastId++;
		if (port.getState().approvals.length >= 4) {
			return;
		}

		const base = {id: lastId, requestedAt: clock.now(), deadline: clock.now() + 271_000};
		const rows = upTo(40);
		const approval =
			random() < 0.15
				? makeFormApproval({
						...base,
						fields: [makeField(), makeField({key: 'ok', kind: 'boolean'})],
					})
				: makeToolApproval({
						...base,
						run: 100 + upTo(5),
						tool: makeAskedTool({tool: pick(['create_issue', 'rm', 'a'])}),
						args: Object.fromEntries(
							Array.from({length: rows}, (_, index) => [`k${index}`, index]),
						),
						mustTypeName: random() < 0.3,
						scopes: pick([
							['once'],
							['once', 'run'],
							['once', 'run', 'process', 'always'],
						] as const),
					});
		port.emit({type: 'approval-requested', at: clock.now(), approval});
	};

	const acts: ReadonlyArray<readonly [number, () => Promise<void> | void]> = [
		[6, async () => feed('!')],
		[14, async () => feed(pick([...sheetKeys]))],
		[10, async () => feed(pick(['a', 'a', 'r', 's', 'A', '\r', 'v']))],
		[6, async () => feed('G')],
		[3, async () => feed(String.fromCodePoint(32 + upTo(95)))],
		[2, async () => feed(esc)],
		[3, async () => feed(pick(words))],
		[
			4,
			async () => {
				// Somebody types: key after key, each in a read of its own.
				for (const character of pick(words)) {
					clock.advance(20 + upTo(150));
					// oxlint-disable-next-line no-await-in-loop -- one key after the other
					await feed(character);
				}
			},
		],
		[
			3,
			async () => {
				const name = typedName(shell);
				for (const character of name ?? '') {
					clock.advance(60);
					// oxlint-disable-next-line no-await-in-loop -- one key after the other
					await feed(character);
				}

				if (name !== undefined) {
					clock.advance(pick([60, 700]));
					await feed('\r');
				}
			},
		],
		[3, async () => feed(`${pasteStart}${pick(words)}${pasteEnd}`)],
		[
			1,
			async () => {
				const text = `${pasteStart}${pick(words)}${pasteEnd}`;
				const at = 1 + upTo(text.length - 1);
				await feed(text.slice(0, at));
				clock.advance(upTo(40));
				await feed(text.slice(at));
			},
		],
		[
			2,
			async () =>
				feed(`${esc}[<${pick(['0', '2', '64', '35'])};${upTo(80)};${upTo(24)}${pick(['M', 'm'])}`),
		],
		[
			1,
			async () => {
				const report = `${esc}[<0;10;5M`;
				const at = 1 + upTo(report.length - 1);
				await feed(report.slice(0, at));
				clock.advance(upTo(120));
				await feed(report.slice(at));
			},
		],
		[2, async () => feed(pick([`${esc}[I`, `${esc}[I`, `${esc}[O`]))],
		[
			1,
			async () => {
				const bytes = Buffer.from(pick(['é', '日', '👩‍👩‍👧']));
				const at = 1 + upTo(bytes.length - 1);
				await feed(bytes.subarray(0, at));
				await feed(bytes.subarray(at));
			},
		],
		[
			2,
			async () => {
				// A key that is held down.
				const key = pick(['a', 'r', 'd', 'A', '\r', 'v', 's']);
				for (let count = 5 + upTo(25); count > 0; count--) {
					clock.advance(30);
					// oxlint-disable-next-line no-await-in-loop -- one key after the other
					await feed(key);
				}
			},
		],
		[25, () => clock.advance(upTo(900))],
		[8, draw],
		[7, request],
		[
			1,
			() => {
				const [first] = port.getState().approvals;
				if (first) {
					settle(first.id, 'void');
					forgetOld();
				}
			},
		],
		[
			1,
			() => {
				const size = pick([
					{columns: 80, rows: 24},
					{columns: 120, rows: 36},
					{columns: 60, rows: 16},
					{columns: 50, rows: 12},
				]);
				shell.view.set(state => ({...state, size}));
				forgetOld();
			},
		],
	];
	const total = acts.reduce((sum, [weight]) => sum + weight, 0);
	const isDone = () => fed >= inputs;
	while (!isDone()) {
		let at = upTo(total);
		const act = acts.find(([weight]) => (at -= weight) < 0)?.[1];
		// oxlint-disable-next-line no-await-in-loop -- one act after the other
		await act?.();
		// Whoever wanders off comes back: panes and dialogs are not what is tested here.
		const {overlay} = shell.view.get();
		if (overlay && overlay.kind !== 'approval') {
			shell.view.set(state => ({...state, overlay: undefined}));
		}
	}

	made[Symbol.dispose]();
	return {inputs: fed, allowed, denied, illegal};
}

/** The name that has to be typed now. */
function typedName(shell: Shell): string | undefined {
	const open = sheetNow(shell);
	return open?.sheet.step.kind === 'name' && open.approval.kind === 'tool'
		? open.approval.tool.tool
		: undefined;
}

type Claim = {
	readonly id: number;
	readonly answer: ApprovalAnswer;
	readonly approval: ToolApproval | {readonly kind: 'form'} | undefined;
	readonly now: number;
};

const keysOf: Readonly<Record<string, string>> = {once: 'a', run: 'r', process: 's', always: 'A'};

/** Why an answer that allows is not what a person did; `undefined` when it is. */
function whatIsWrong(model: Model, {id, answer, approval, now}: Claim): string | undefined {
	const {reads, drawn, seen, focusAt, strangeAt} = model;
	const last = reads.at(-1);
	if (!last || !approval || answer.choice === 'deny') {
		return 'nothing was asked';
	}

	const isNamed = approval.kind === 'tool' && approval.mustTypeName;
	const wanted = answer.choice === 'submit' ? 'a' : isNamed ? '\r' : keysOf[answer.scope];
	if (last.bytes !== wanted) {
		return `the last read was not ${JSON.stringify(wanted)} alone`;
	}

	if (!drawn?.of.startsWith(`${id} `)) {
		return 'it is not what was drawn';
	}

	if (now - drawn.t < 500) {
		return `it was drawn ${now - drawn.t} ms ago`;
	}

	if (!seen.has(id)) {
		return 'its last row was never on the screen';
	}

	if (now - focusAt < 300) {
		return 'the window had just got the focus';
	}

	if (now - strangeAt < 500) {
		return 'somebody was typing';
	}

	const before = reads.at(-2);
	if (before?.bytes === last.bytes && last.t - before.t < 500) {
		return 'the key was held down';
	}

	if (answer.choice === 'allow' && approval.kind === 'tool') {
		if (!approval.scopes.includes(answer.scope)) {
			return 'the scope was not offered';
		}

		const typed = reads.slice(-1 - approval.tool.tool.length, -1).map(({bytes}) => bytes);
		// One that was corrected while it was typed has other reads than its letters, but never a paste.
		const isTyped =
			answer.typedName === approval.tool.tool &&
			(typed.join('') === approval.tool.tool || !typed.some(bytes => bytes.includes(pasteStart)));
		if (isNamed && !isTyped) {
			return 'the name was not typed';
		}
	}

	return undefined;
}
