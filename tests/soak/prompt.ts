import {stripVTControlCharacters} from 'node:util';
import type {ApprovalAnswer} from '../../source/core/approval.ts';
import {noon, openPrompt, type OpenPrompt} from '../cli/linear/open-prompt.ts';
import {turns} from '../cli/terminal.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {randomOf} from '../helpers/random.ts';
import {markedRequest, marksIn, maxMarked, type MarkedRequest} from './marked-requests.ts';

export type PromptFuzz = {
	readonly inputs: number;
	/** Answers that allowed or sent something, all after it was read and agreed to. */
	readonly allowed: number;
	readonly denied: number;
	/** Answers that nobody had given, as sentences. */
	readonly illegal: readonly string[];
};

export type PromptFuzzOptions = {
	readonly inputs: number;
	readonly seed: number;
	/** How long a request must have been there, milliseconds: more than is kept, to see that the fuzz looks. */
	readonly restMs?: number;
	/** A mark that must have been shown: one that no request has, to the same end. */
	readonly mark?: string;
};

type Read = {readonly bytes: string; readonly t: number; readonly from: number};

/** After so many inputs another prompt is opened. */
const inputsEach = 300;

/**
 * Types random lines and keys at the prompt of `svc --linear`, in reads of any size, with and without waiting for an answer, while requests come and go. Whatever reaches the gateway and allows something
 * is compared with what was typed and with what was written on the terminal; nothing of that comes from the program.
 */
export async function fuzzPrompt(options: PromptFuzzOptions): Promise<PromptFuzz> {
	const {inputs, seed} = options;
	let sum: PromptFuzz = {inputs: 0, allowed: 0, denied: 0, illegal: []};
	for (let round = 0; sum.inputs < inputs; round += 1) {
		const most = Math.min(inputsEach, inputs - sum.inputs);
		// oxlint-disable-next-line no-await-in-loop -- one prompt after the other
		const one = await fuzzOne({...options, inputs: most, seed: seed * 1000 + round});
		sum = {
			inputs: sum.inputs + Math.max(1, one.inputs),
			allowed: sum.allowed + one.allowed,
			denied: sum.denied + one.denied,
			illegal: [...sum.illegal, ...one.illegal],
		};
	}

	return sum;
}

async function fuzzOne({inputs, seed, restMs = 500, mark}: PromptFuzzOptions): Promise<PromptFuzz> {
	const random = randomOf(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;
	const port = createFakePort();
	const live = new Map<number, MarkedRequest & {readonly slot: number}>();
	const reads: Read[] = [];
	const illegal: string[] = [];
	let allowed = 0;
	let denied = 0;
	let lastId = 0;
	/** When each stretch of what is written was there, by its end. */
	const written: Array<{readonly end: number; readonly t: number}> = [];
	const parts: {open?: OpenPrompt} = {};
	const others = new Set(process.listeners('SIGINT'));
	const look = () => {
		const {terminal, clock} = parts.open ?? {};
		if (terminal && clock) {
			written.push({end: terminal.written().length, t: clock.monotonic()});
		}
	};

	await using open = await openPrompt(port, {rows: pick([8, 24, 60]), onWrite: look});
	parts.open = open;
	const {terminal, clock} = open;

	const settle = (id: number, outcome: 'allowed' | 'denied') => {
		const approval = port.getState().approvals.find(other => other.id === id);
		live.delete(id);
		if (!approval) {
			return {settled: false as const};
		}

		const decision = {outcome, at: clock.now(), by: 'fuzz'} as const;
		const settled = {...approval, decision};
		port.emit({type: 'approval-settled', at: clock.now(), approval: settled});
		return {settled: true as const, approval: settled};
	};

	port.settleApproval = async (id: number, {answer}: {readonly answer: ApprovalAnswer}) => {
		if (answer.choice === 'deny') {
			denied += 1;
			return settle(id, 'denied');
		}

		const request = live.get(id);
		// What somebody else answered meanwhile cannot be allowed any more: the first answer wins.
		if (!request && id <= lastId) {
			return settle(id, 'allowed');
		}

		const wrong = request
			? whatIsWrong({answer, request, reads, text: terminal.written(), written, restMs, mark})
			: 'nothing was asked';
		if (wrong === undefined) {
			allowed += 1;
		} else {
			const last = reads.slice(-8).map(({bytes, t}) => `${JSON.stringify(bytes)}@${t - noon}`);
			illegal.push(`seed ${seed}: ${JSON.stringify(answer)}: ${wrong} after ${last.join(' ')}`);
		}

		return settle(id, 'allowed');
	};

	/** Waits until the program waits for a line, as a person mostly does. */
	const idle = async () => {
		for (let turn = 0; turn < 400; turn += 1) {
			// oxlint-disable-next-line no-await-in-loop -- one turn after the other
			await turns(1);
			const end = stripVTControlCharacters(terminal.written().slice(-200));
			if (terminal.hasEnded() || (turn > 3 && /(?:svc> |\] |: |leaves |you> |\| )$/.test(end))) {
				break;
			}
		}
	};

	const feed = async (bytes: string, isWaitedFor = random() < 0.85) => {
		if (terminal.hasEnded()) {
			return;
		}

		reads.push({bytes, t: clock.monotonic(), from: terminal.written().length});
		terminal.send(bytes);
		await (isWaitedFor ? idle() : turns(upTo(3)));
	};

	const line = async (text: string) => {
		if (upTo(3) === 0) {
			await feed(`${text}\r`);
			return;
		}

		for (const character of text) {
			clock.advance(upTo(60));
			// oxlint-disable-next-line no-await-in-loop -- one key after the other
			await feed(character, false);
		}

		clock.advance(upTo(60));
		await feed('\r');
	};

	const request = () => {
		const taken = new Set([...live.values()].map(({slot}) => slot));
		const slot = Array.from({length: maxMarked}, (_, index) => index).find(one => !taken.has(one));
		if (slot !== undefined) {
			lastId += 1;
			const marked = markedRequest({id: lastId, slot, now: clock.now()}, {upTo, pick});
			live.set(lastId, {...marked, slot});
			port.emit({type: 'approval-requested', at: clock.now(), approval: marked.approval});
		}
	};

	const any = () => pick([...live.values(), undefined]);
	const command = () => {
		const {approval} = any() ?? {};
		const id = approval?.id ?? upTo(9);
		const name = approval?.kind === 'tool' ? approval.tool.tool : 'a';
		return approval?.kind === 'form'
			? `approvals fill ${id}${pick(['', ` --values '{}'`, ` --values '{"f0": "x"}'`])}`
			: `approvals allow ${id}${pick(['', '', ' --yes', ` --tool ${name}`, ' --for run', ' --for always --when exact', ` --yes --tool ${name} --for always --when exact`])}`;
	};
	const answers = [
		'y',
		'yes',
		'Y',
		'',
		'',
		'n',
		'q',
		'd',
		'b',
		'done',
		'more',
		'rm',
		'a',
		'create_issue',
		'allow',
		'back',
	];

	/** What the last rows ask. */
	const question = () =>
		stripVTControlCharacters(terminal.written().slice(-400)).split('\n').at(-1) ?? '';

	/** Does it as it should be done, mostly. */
	const properly = async () => {
		const {approval} = any() ?? {};
		if (!approval) {
			return;
		}

		await feed('\u0003');
		await line(command().replace(/\d+/, String(approval.id)));
		for (let page = 0; page < 400 && question().endsWith('reads on, q leaves '); page += 1) {
			clock.advance(upTo(40) === 0 ? 30 : 520);
			// oxlint-disable-next-line no-await-in-loop -- one page after the other
			await feed(upTo(60) === 0 ? '\r\r' : '\r', true);
		}

		for (
			let field = 0;
			field < 40 && question().endsWith('] ') && !question().includes('[y/N]');
			field += 1
		) {
			// oxlint-disable-next-line no-await-in-loop -- one field after the other
			await line(pick(['', 'yes', '1', 'done']));
			for (let page = 0; page < 400 && question().endsWith('reads on, q leaves '); page += 1) {
				// oxlint-disable-next-line no-await-in-loop
				clock.advance(520);
				// oxlint-disable-next-line no-await-in-loop
				await feed('\r', true);
			}
		}

		clock.advance(pick([0, 100, 450, 520, 700, 700, 700, 5000]));
		await line(
			/Type its name/.test(question()) && approval.kind === 'tool'
				? pick([approval.tool.tool, approval.tool.tool, 'y', 'rm'])
				: pick(['y', 'y', 'yes', '']),
		);
	};

	const acts: ReadonlyArray<readonly [number, () => Promise<void> | void]> = [
		[6, async () => line(command())],
		[12, async () => line(pick(answers))],
		[14, properly],
		[4, async () => feed('\r')],
		[2, async () => feed(String.fromCodePoint(32 + upTo(95)), false)],
		[2, async () => feed(`${command()}\r${pick(answers)}\r${pick(answers)}\r`)],
		[2, async () => feed(`${pick(answers)}\r${pick(answers)}\r`)],
		[2, async () => feed(pick(['\u007f', '\u0015', '\u001b[A', '\t', '\u001b', '\u0017']), false)],
		[1, async () => feed('\u0003')],
		[
			1,
			() => {
				// Those of others would end this process.
				for (const listener of process.listeners('SIGINT')) {
					if (!others.has(listener) && !terminal.hasEnded()) {
						listener('SIGINT');
					}
				}
			},
		],
		[
			2,
			async () =>
				line(
					pick([
						'help',
						'approvals list',
						`approvals deny ${any()?.approval.id ?? 1}`,
						'approvals alow 1',
						'talk',
						'mcp call a b',
						'/install 1',
					]),
				),
		],
		[6, request],
		[
			6,
			() => {
				clock.advance(pick([20, 100, 400, 600, 3000]));
			},
		],
		[
			1,
			async () => {
				const id = any()?.approval.id;
				if (id !== undefined) {
					settle(id, 'denied');
				}

				await idle();
			},
		],
	];
	request();
	request();
	const weights = acts.reduce((total, [weight]) => total + weight, 0);
	for (let input = 0; input < inputs && !terminal.hasEnded(); input += 1) {
		let at = upTo(weights);
		const act = acts.find(([weight]) => (at -= weight) < 0)?.[1];
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await act?.();
	}

	return {inputs: reads.length, allowed, denied, illegal};
}

type Claim = {
	readonly answer: Exclude<ApprovalAnswer, {choice: 'deny'}>;
	readonly request: MarkedRequest;
	readonly reads: readonly Read[];
	readonly text: string;
	readonly written: ReadonlyArray<{readonly end: number; readonly t: number}>;
	readonly restMs: number;
	readonly mark: string | undefined;
};

const questions = /Type its name to allow it: |\? \[y\/N\] |leaves it waiting: /g;

/** An answer takes a moment to arrive: so many lines may have been typed since. */
const linesSince = 3;

/** Why an answer that allows is not what a person did; `undefined` when it is. */
function whatIsWrong(claim: Claim): string | undefined {
	const ends = claim.reads.flatMap(({bytes}, index) => (/[\r\n]/.test(bytes) ? [index] : []));
	const wrong = ends.map((end, index) => whyNot(claim, (ends[index - 1] ?? -1) + 1, end));
	const last = wrong.slice(-linesSince);
	return last.includes(undefined) ? undefined : (last.at(-1) ?? 'no line was typed');
}

/** Why the line of these reads is no such answer. */
function whyNot(
	{answer, request: {approval, marks}, reads, text, written, restMs, mark}: Claim,
	from: number,
	to: number,
): string | undefined {
	const line = reads.slice(from, to + 1);
	const [first] = line;
	const typed = line.map(({bytes}) => bytes).join('');
	if (!first || typed.match(/[\r\n]/g)?.length !== 1 || !/[\r\n]$/.test(typed)) {
		return 'the line did not come alone';
	}

	// What was there when the line was begun, since the command that asks was typed; shown rows that go on are put together.
	const shown = stripVTControlCharacters(text.slice(0, first.from)).replaceAll(/\r?\n┊ /g, '');
	// What is said of a request that waits names the command, too; one that is typed where a page is asked for is no command.
	const commands = shown.matchAll(
		new RegExp(`(?<!: |svc |leaves )approvals (?:allow|fill) ${approval.id}\\b`, 'g'),
	);
	const begin = [...commands].at(-1)?.index ?? -1;
	const seen = new Set(marksIn(begin === -1 ? '' : shown.slice(begin)));
	// What a field began with counts where it is sent.
	const replaced = new Set(
		approval.kind === 'form' && answer.choice === 'submit'
			? approval.fields
					.filter(({key, initial}) => answer.content[key] !== initial)
					.flatMap(({initial}) => marksIn(JSON.stringify(initial ?? '')))
			: [],
	);
	const unseen = [...marks, ...(mark === undefined ? [] : [mark])].filter(
		one => !seen.has(one) && !replaced.has(one),
	);
	if (unseen.length > 0) {
		return `${unseen.length} marks were never shown`;
	}

	// When the question was asked last: what is said above it may have come later.
	const [asked] = [...text.slice(0, first.from).matchAll(questions)].slice(-1);
	const ready = written.find(({end}) => end > (asked?.index ?? 0));
	if (ready && first.t - ready.t < restMs) {
		return `it was there for ${first.t - ready.t} ms`;
	}

	const wanted =
		approval.kind === 'tool' &&
		(approval.mustTypeName ||
			(answer.choice === 'allow' &&
				answer.scope === 'always' &&
				approval.lasting?.isBound === true))
			? approval.tool.tool
			: 'y';
	if (!holdsInOrder(typed.toLowerCase(), wanted)) {
		return `"${wanted}" was not typed`;
	}

	return answer.choice === 'allow' &&
		approval.kind === 'tool' &&
		!approval.scopes.includes(answer.scope)
		? 'the scope was not offered'
		: undefined;
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
