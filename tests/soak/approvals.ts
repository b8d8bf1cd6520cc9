import type {ApprovalAnswer} from '../../source/core/approval.ts';
import {createInputFrontend} from '../../source/terminal/input/input-frontend.ts';
import {dialogNow} from '../../source/tui/acts/dialog.ts';
import {sheetNow} from '../../source/tui/acts/sheet.ts';
import {installChoice, installConfirm} from '../../source/tui/dialogs/install-sheet.ts';
import {createShell} from '../../source/tui/shell/create-shell.ts';
import type {Shell} from '../../source/tui/shell/shell.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakeLogins} from '../helpers/fake-logins.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {createFakeTerminal} from '../helpers/fake-terminal.ts';
import {makeServer} from '../helpers/make-server.ts';
import {randomOf} from '../helpers/random.ts';
import {createFakeDesktop, testNow} from '../helpers/show-shell.tsx';
import {inkScreen, rowScreen, type ApprovalScreen} from './approval-screens.ts';
import {
	markedLink,
	markedRequest,
	maxMarked,
	takenName,
	type Marked,
	type MarkedLink,
	type MarkedRequest,
} from './marked-requests.ts';
import {createSeenOracle} from './seen-oracle.ts';

export type ApprovalFuzz = {
	readonly inputs: number;
	/** Answers that allowed something, all by a legal key. */
	readonly allowed: number;
	/** Those of `allowed` that made a rule that lasts. */
	readonly lasting: number;
	readonly denied: number;
	/** Tool servers of links that were installed, all by a legal key. */
	readonly installed: number;
	/** Answers and installations that nothing on the keyboard had allowed, as sentences. */
	readonly illegal: readonly string[];
};

export type ApprovalFuzzOptions = {
	readonly inputs: number;
	readonly seed: number;
	/** Frames are those of the interface itself (the usual), or put together from the rows of the sheet, for long runs. */
	readonly isOnInk?: boolean;
	/** Install links wait besides, and are opened, named and installed. */
	readonly withInstalls?: boolean;
	/** Ends with the first illegal answer. */
	readonly stopsAtFirst?: boolean;
	/** Takes the place of parts of the guard, to see that the fuzz would notice. */
	readonly guard?: Partial<Shell['guard']>;
	/** Called after each frame, to the same end. */
	readonly afterFrame?: (shell: Shell) => void;
};

const esc = '\u001B';
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

/** Keys that the sheet knows: moving on with one of them is no typing. */
const sheetKeys: ReadonlySet<string> = new Set([
	...'jkgGdmwDyevarsA123<> '.split(''),
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
	focusAt: number;
	/** When something came that is no key of the sheet: text, a paste, a click. */
	strangeAt: number;
	/** What was typed since the sheet asks for a name; nothing that was pasted. */
	typed: string;
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
 * Types, pastes, clicks, repeats keys, tears bytes apart, moves the focus and changes the size at random, while requests come, end and are drawn; all of it
 * through the real input front-end and onto a real screen of Ink. Whatever reaches the gateway and allows something is compared with what a person did, and
 * with what the frames have shown.
 */
export async function fuzzApprovals({
	inputs,
	seed,
	isOnInk = true,
	withInstalls = false,
	stopsAtFirst = false,
	guard,
	afterFrame,
}: ApprovalFuzzOptions): Promise<ApprovalFuzz> {
	const random = randomOf(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;

	const clock = createFakeClock(testNow);
	const port = createFakePort(withInstalls ? {servers: [makeServer({name: takenName})]} : {});
	const live = new Map<number, (MarkedRequest | MarkedLink) & {readonly slot: number}>();
	const owners = new Map<string, number>();
	let size = {columns: 80, rows: 24};
	const oracle = createSeenOracle(size, mark => owners.get(mark));
	const desktop = {
		...createFakeDesktop(),
		async page(text: string) {
			oracle.paged(text, clock.monotonic());
		},
	};
	const made = createShell(
		{port, logins: createFakeLogins(clock), clock, desktop},
		{size, theme: 'dark', ssh: false, version: '1.0'},
	);
	const shell: Shell = {...made, guard: {...made.guard, ...guard}};
	const keyboard = createFakeTerminal();
	using frontend = createInputFrontend(keyboard.stream, {clock});
	frontend.onMouse(({t}) => {
		shell.guard.disturbed(t);
	});
	frontend.onWindowFocus(isFocused => {
		if (isFocused) {
			shell.guard.focused();
		}
	});
	/** What is drawn because of a key is no reason for it. */
	let held: Array<readonly string[]> | undefined;
	const screen: ApprovalScreen = await (isOnInk ? inkScreen : rowScreen)({
		shell,
		frontend,
		size,
		show(rows) {
			if (held) {
				held.push(rows);
			} else {
				oracle.frame(rows, clock.monotonic());
			}
		},
	});

	const model: Model = {
		reads: [],
		focusAt: -Infinity,
		strangeAt: -Infinity,
		typed: '',
	};
	const illegal: string[] = [];
	let allowed = 0;
	let lasting = 0;
	let denied = 0;
	let installed = 0;
	let fed = 0;
	let lastId = 0;

	const settle = (id: number, outcome: 'allowed' | 'denied' | 'void') => {
		const approval = port.getState().approvals.find(other => other.id === id);
		live.delete(id);
		if (approval) {
			const decision = {outcome, at: clock.now(), by: 'fuzz'};
			port.emit({type: 'approval-settled', at: clock.now(), approval: {...approval, decision}});
		}
	};

	port.settleApproval = async (id: number, {answer}: {readonly answer: ApprovalAnswer}) => {
		const approval = port.getState().approvals.find(other => other.id === id);
		if (answer.choice === 'deny') {
			denied++;
			settle(id, 'denied');
			return approval ? {settled: true, approval} : {settled: false};
		}

		const request = live.get(id);
		const wrong = whatIsWrong(model, {
			answer,
			request: request && 'approval' in request ? request : undefined,
			oracle,
			now: clock.monotonic(),
		});
		if (wrong === undefined) {
			allowed++;
			lasting += answer.choice === 'allow' && answer.scope === 'always' ? 1 : 0;
		} else {
			complain(answer, wrong);
		}

		settle(id, 'allowed');
		return approval ? {settled: true, approval} : {settled: false};
	};

	const complain = (done: unknown, wrong: string) => {
		const last = model.reads
			.slice(-6)
			.map(({bytes, t}) => `${JSON.stringify(bytes)}@${t - testNow}`);
		illegal.push(
			`seed ${seed}, input ${fed}: ${JSON.stringify(done)}: ${wrong} after ${last.join(' ')}`,
		);
	};

	const links = () => [...live.values()].filter(one => 'link' in one);

	/** The links that wait, as the gateway tells of them. */
	const tellLinks = () => {
		const waiting = links().map(({id, name}) => {
			const expiresAt = clock.now() + 1_000_000_000;
			return {id, name, askedAt: clock.now(), expiresAt};
		});
		port.answers.offered = waiting.map((one, at) => ({...one, link: links()[at]?.link ?? ''}));
		port.emit({type: 'installs-changed', at: clock.now(), installs: waiting});
	};

	const {installServer} = port;
	port.installServer = async asked => {
		const {name = '', typedName: typed} = asked;
		const link = links().find(one => one.link === asked.link);
		const wrong = whatIsWrongOfLink(model, {name, typed, link, oracle, now: clock.monotonic()});
		if (wrong === undefined) {
			installed++;
		} else {
			complain({install: name, typed}, wrong);
		}

		live.delete(link?.id ?? 0);
		tellLinks();
		return installServer(asked);
	};
	port.dismissInstall = async id => {
		live.delete(id);
		tellLinks();
		return true;
	};

	const idle = async () => {
		while (frontend.busy()) {
			// oxlint-disable-next-line no-await-in-loop -- one turn after the other
			await new Promise<void>(resolve => {
				setImmediate(resolve);
			});
		}
	};

	/** Waits for the screen, as a person mostly does. */
	const draw = async () => {
		await screen.draw();
		afterFrame?.(shell);
	};

	const feed = async (bytes: string | Buffer, isLookedAt = random() < 0.8) => {
		const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
		const t = clock.monotonic();
		const isNameStep = typedName(shell) !== undefined;
		model.typed = isNameStep && !text.includes(esc) ? model.typed + text : '';
		model.reads = [...model.reads.slice(-200), {bytes: text, t}];
		const mouseOrFocus = text === `${esc}[I` || text === `${esc}[O`;
		if (text === `${esc}[I`) {
			model.focusAt = t;
		}

		fed++;
		held = [];
		keyboard.type(bytes);
		await idle();
		for (const rows of held) {
			oracle.frame(rows, t);
		}

		held = undefined;
		// Afterwards: a key must not be held against itself.
		if (!mouseOrFocus && !(sheetKeys.has(text) || (isNameStep && /^[ -~]$/.test(text)))) {
			model.strangeAt = t;
		}

		if (isLookedAt) {
			await draw();
		}
	};

	/** A new identifier, with marks that nothing else on the screen has. */
	const newPlace = () => {
		const id = ++lastId;
		const taken = new Set([...live.values()].map(({slot}) => slot));
		const slot = Array.from({length: maxMarked}, (_, index) => index).find(
			free => !taken.has(free),
		);
		for (const [mark, owner] of owners) {
			if (slot !== undefined && !live.has(owner)) {
				owners.delete(mark);
			}
		}

		return slot === undefined ? undefined : {id, slot, now: clock.now()};
	};

	const comesUp = (marked: MarkedRequest | MarkedLink, slot: number) => {
		live.set(marked.id, {...marked, slot});
		for (const mark of marked.marks) {
			owners.set(mark, marked.id);
		}
	};

	const request = () => {
		const place = port.getState().approvals.length < 4 ? newPlace() : undefined;
		if (place) {
			const marked = markedRequest(place, {upTo, pick});
			comesUp(marked, place.slot);
			port.emit({type: 'approval-requested', at: clock.now(), approval: marked.approval});
		}
	};

	const offer = () => {
		const place = links().length < 2 ? newPlace() : undefined;
		if (place) {
			comesUp(markedLink(place, {upTo, pick}), place.slot);
			tellLinks();
		}
	};

	const stepNow = () => sheetNow(shell)?.sheet.step.kind;

	/** Types the name that is asked for, and enters it; sometimes too early, or without a letter. */
	const typeName = async () => {
		const name = typedName(shell);
		for (const character of upTo(6) === 0 ? '' : (name ?? '')) {
			clock.advance(60);
			// oxlint-disable-next-line no-await-in-loop -- one key after the other
			await feed(character);
		}

		if (name !== undefined) {
			await draw();
			clock.advance(upTo(6) === 0 ? 60 : 700);
			await feed('\r');
		}
	};

	/** Whether a rule that lasts may be made for what the sheet asks about. */
	const mayLast = () => {
		const {approval, isWhole} = sheetNow(shell) ?? {};
		return isWhole && approval?.kind === 'tool' && approval.scopes.includes('always');
	};

	/** Goes back to the choice from whatever was begun, and reads all of it. */
	const readAll = async () => {
		await feed('!');
		while (stepNow() !== 'choose' && stepNow() !== 'form' && stepNow() !== undefined) {
			// oxlint-disable-next-line no-await-in-loop -- one key after the other
			await feed(esc);
			clock.advance(100);
			// oxlint-disable-next-line no-await-in-loop -- see above
			await idle();
		}

		await feed('g', true);
		if (sheetNow(shell)?.isWhole === false) {
			await feed('e', true);
		}

		for (let before = -1; before !== sheetNow(shell)?.layout().top && before < 1000;) {
			before = sheetNow(shell)?.layout().top ?? 1000;
			clock.advance(30);
			// oxlint-disable-next-line no-await-in-loop -- see above
			await feed(`${esc}[6~`, true);
		}
	};

	/** Opens a link that waits, over nothing else. */
	const openLink = async () => {
		offer();
		for (let tries = 0; tries < 4 && shell.view.get().overlay; tries++) {
			// oxlint-disable-next-line no-await-in-loop -- one key after the other
			await feed(esc);
			clock.advance(100);
			// oxlint-disable-next-line no-await-in-loop -- see above
			await idle();
		}

		clock.advance(600);
		await feed('I');
		await idle();
	};

	/** Reads all that the open page has. */
	const readPage = async () => {
		await draw();
		for (let before = -1; before !== firstRow() && before < 1000;) {
			before = firstRow();
			clock.advance(30);
			// oxlint-disable-next-line no-await-in-loop -- see above
			await feed(`${esc}[6~`, true);
		}
	};

	/** The first row that the open page shows. */
	const firstRow = () => {
		const {dialog, state} = dialogNow(shell) ?? {};
		return state ? (dialog?.page?.(state, shell, {width: 0, height: 0}).top ?? 1000) : 1000;
	};

	/** Waits until a key may count, mostly. */
	const rest = async () => {
		clock.advance(upTo(8) === 0 ? 450 : pick([520, 700]));
		await draw();
	};

	const resize = () => {
		const next = pick([
			{columns: 80, rows: 24},
			{columns: 120, rows: 36},
			{columns: 60, rows: 16},
			{columns: 100, rows: 30},
			{columns: 72, rows: 20},
			{columns: 50, rows: 12},
		]);
		if (next.columns === size.columns && next.rows === size.rows) {
			return;
		}

		size = next;
		oracle.resized(size);
		screen.resize(size);
		shell.view.set(state => ({...state, size}));
	};

	const acts: ReadonlyArray<readonly [number, () => Promise<void> | void]> = [
		[6, async () => feed('!')],
		[14, async () => feed(pick([...sheetKeys]))],
		[10, async () => feed(pick(['a', 'a', 'r', 's', 'A', '\r', 'v']))],
		[4, async () => feed('G')],
		[14, async () => feed(`${esc}[6~`)],
		[2, async () => feed(`${esc}[5~`)],
		[3, async () => feed(String.fromCodePoint(32 + upTo(95)))],
		[8, async () => feed(esc)],
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
		[3, typeName],
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
			1,
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
		[
			25,
			async () => {
				clock.advance(upTo(900));
				if (random() < 0.8) {
					await draw();
				}
			},
		],
		[8, draw],
		[
			5,
			async () => {
				// Somebody reads from the first row to the last, and decides; sometimes too early.
				await feed('!');
				await feed('g');
				for (let pages = upTo(40); pages > 0; pages--) {
					clock.advance(20 + upTo(60));
					// oxlint-disable-next-line no-await-in-loop -- one key after the other
					await feed(`${esc}[6~`);
				}

				clock.advance(pick([100, 450, 520, 700]));
				await draw();
				await feed(pick(['a', 'a', 'r', 's', 'v']));
			},
		],
		[
			6,
			async () => {
				// Somebody in a hurry looks at the first rows, and perhaps at the last ones.
				await feed('!');
				await draw();
				if (random() < 0.7) {
					await feed('G');
					await draw();
				}

				clock.advance(pick([150, 520, 700]));
				await draw();
				await feed(pick(['a', 'a', 'r', 'v']));
			},
		],
		[
			24,
			async () => {
				// Somebody who has made up their mind reads all of it, and says so.
				await readAll();
				await rest();
				await feed(pick(['a', 'a', 'r', 's', 'd']));
				await rest();
				await typeName();
			},
		],
		[
			16,
			async () => {
				// Somebody wants a rule that lasts, says for what, and wants nothing else.
				await feed('!');
				for (let tries = 0; tries < 5 && !mayLast(); tries++) {
					clock.advance(600);
					// oxlint-disable-next-line no-await-in-loop -- one request after the other
					await draw();
					// oxlint-disable-next-line no-await-in-loop -- see above
					await feed(stepNow() === undefined ? '!' : 'd');
					request();
				}

				await readAll();
				await rest();
				await feed('v', true);
				for (const key of pick([['2'], ['2'], ['2'], ['3', ' '], ['j', ' '], ['1'], []])) {
					clock.advance(60);
					// oxlint-disable-next-line no-await-in-loop -- one key after the other
					await feed(key);
				}

				await rest();
				await feed('A');
				await rest();
				await typeName();
			},
		],
		[1, async () => feed('e')],
		[7, request],
		[
			1,
			() => {
				const [first] = port.getState().approvals;
				if (first) {
					settle(first.id, 'void');
				}
			},
		],
		[1, resize],
	];
	const ofInstalls: typeof acts = [
		[10, offer],
		[4, resize],
		[8, async () => feed('I')],
		[14, async () => feed(pick(['a', 'a', 'a', 'n', 'd', '\r', 'G', `${esc}[6~`]))],
		[
			40,
			async () => {
				// Somebody reads all of it, perhaps under another name, and installs it.
				await openLink();
				await readPage();
				if (upTo(3) === 0 || installChoice.now(shell)?.sheet.review.exists) {
					await feed('n');
					await feed(pick(['2', '2', '\u007F', '-x', ' ']));
					await feed('\r');
					await idle();
					await (upTo(3) === 0 ? draw() : readPage());
				}

				await rest();
				if (upTo(3) === 0) {
					// A letter that was meant for something else came just before.
					await feed(pick(['b', 'x', 'Z']));
					clock.advance(pick([60, 450, 520]));
				}

				await feed(pick(['a', 'a', 'a', 'd', esc]));
				await rest();
				await typeName();
			},
		],
		[
			6,
			async () => {
				// Somebody in a hurry, who does not come to the last rows.
				await feed('I');
				await draw();
				await feed(pick(['G', `${esc}[6~`]));
				await rest();
				await feed('a');
				await rest();
				await typeName();
			},
		],
	];
	const all = withInstalls ? [...acts, ...ofInstalls] : acts;
	const total = all.reduce((sum, [weight]) => sum + weight, 0);
	const isDone = () => fed >= inputs || (stopsAtFirst && illegal.length > 0);
	while (!isDone()) {
		let at = upTo(total);
		const act = all.find(([weight]) => (at -= weight) < 0)?.[1];
		// oxlint-disable-next-line no-await-in-loop -- one act after the other
		await act?.();
		// Whoever wanders off comes back: panes and dialogs are not what is tested here.
		const {overlay} = shell.view.get();
		if (overlay && !decided.has(dialogNow(shell)?.dialog.scope ?? '')) {
			shell.view.set(state => ({...state, overlay: undefined}));
		}
	}

	screen.close();
	made[Symbol.dispose]();
	return {inputs: fed, allowed, lasting, denied, installed, illegal};
}

/** Scopes of what a person decides on by rows that were seen. */
const decided: ReadonlySet<string> = new Set(['approval', 'install']);

/** The name that has to be typed now. */
function typedName(shell: Shell): string | undefined {
	const open = sheetNow(shell);
	const link = installConfirm.now(shell);
	if (link) {
		return link.sheet.review.name;
	}

	return open?.sheet.step.kind === 'name' && open.approval.kind === 'tool'
		? open.approval.tool.tool
		: undefined;
}

type Claim = {
	readonly answer: ApprovalAnswer;
	readonly request: MarkedRequest | undefined;
	readonly oracle: Pick<ReturnType<typeof createSeenOracle>, 'whyNot'>;
	readonly now: number;
};

const keysOf: Readonly<Record<string, string>> = {once: 'a', run: 'r', process: 's', always: 'A'};

type KeyClaim = {
	readonly wanted: string | undefined;
	readonly asked: Marked;
	/** What a tool server is to be called. */
	readonly name?: string;
} & Pick<Claim, 'oracle' | 'now'>;

/** Why what `asked` asks for was not allowed by the last key; `undefined` when it was. */
function whatIsWrongOfKey(
	{reads, focusAt, strangeAt}: Model,
	{wanted, asked, name, oracle, now}: KeyClaim,
): string | undefined {
	const last = reads.at(-1);
	if (last?.bytes !== wanted) {
		return `the last read was not ${JSON.stringify(wanted)} alone`;
	}

	const unseen = oracle.whyNot(asked, now, name);
	if (unseen !== undefined) {
		return unseen;
	}

	if (now - focusAt < 300) {
		return 'the window had just got the focus';
	}

	if (now - strangeAt < 500) {
		return 'somebody was typing';
	}

	const before = reads.at(-2);
	return last && before?.bytes === last.bytes && last.t - before.t < 500
		? 'the key was held down'
		: undefined;
}

/** Why a link that is installed is not what a person did; `undefined` when it is. */
function whatIsWrongOfLink(
	model: Model,
	{
		name,
		typed,
		link,
		oracle,
		now,
	}: Pick<Claim, 'oracle' | 'now'> & {
		readonly name: string;
		readonly typed: string | undefined;
		readonly link: MarkedLink | undefined;
	},
): string | undefined {
	if (!link) {
		return 'nothing was asked';
	}

	const wanted = link.isProgram ? '\r' : 'a';
	const wrong = whatIsWrongOfKey(model, {wanted, asked: link, name, oracle, now});
	if (wrong !== undefined) {
		return wrong;
	}

	if (name === takenName) {
		return 'the name is taken';
	}

	return link.isProgram && !(typed === name && holdsInOrder(model.typed, name))
		? 'the name was not typed'
		: undefined;
}

/** Why an answer that allows is not what a person did; `undefined` when it is. */
function whatIsWrong(model: Model, {answer, request, oracle, now}: Claim): string | undefined {
	if (!request || answer.choice === 'deny') {
		return 'nothing was asked';
	}

	const {approval} = request;
	const isLasting = answer.choice === 'allow' && answer.scope === 'always';
	const isNamed =
		approval.kind === 'tool' &&
		(approval.mustTypeName || (isLasting && approval.lasting?.isBound === true));
	const wanted = answer.choice === 'submit' ? 'a' : isNamed ? '\r' : keysOf[answer.scope];
	const wrong = whatIsWrongOfKey(model, {wanted, asked: request, oracle, now});
	if (wrong !== undefined) {
		return wrong;
	}

	if (answer.choice === 'allow' && approval.kind === 'tool') {
		if (!approval.scopes.includes(answer.scope)) {
			return 'the scope was not offered';
		}

		// One that was corrected while it was typed has other letters besides.
		const isTyped =
			answer.typedName === approval.tool.tool && holdsInOrder(model.typed, approval.tool.tool);
		if (isNamed && !isTyped) {
			return 'the name was not typed';
		}

		if (
			isLasting &&
			approval.lasting?.isBound &&
			answer.when === undefined &&
			answer.args !== 'exact'
		) {
			return 'the rule says nothing of the arguments';
		}
	}

	return undefined;
}

/** Whether every character of `wanted` stands in `text`, one after the other. */
function holdsInOrder(text: string, wanted: string): boolean {
	let at = 0;
	for (const character of wanted) {
		at = text.indexOf(character, at) + 1;
		if (at === 0) {
			return false;
		}
	}

	return true;
}
