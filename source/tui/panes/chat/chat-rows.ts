import type {Approval} from '../../../core/approval.ts';
import {createMemory, derive} from '../../../core/derive.ts';
import {hasEnded, type Run, type TranscriptEntry} from '../../../core/run.ts';
import {sessionOwnerOf, type SessionMessage} from '../../../core/session.ts';
import type {RunSaid} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {wantsText} from '../../../nouns/approval/approval-words.ts';
import {saidText} from '../../../nouns/session/session.ts';
import {clip} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {blankLine, line, paragraph, type Line} from '../../lines/line.ts';
import type {Host} from '../../shell/shell.ts';
import {layOutPart} from '../runs/block-rows.ts';
import {blocksOf, wordsBlock, type BlockPart, type RunBlock} from '../runs/blocks.ts';
import {conversationNow, isKept, runOfTurn, type LoadedSession} from './chat-loads.ts';
import {chatNow, type SaidTurn} from './chat-state.ts';

type ChatSources = {
	readonly conversation: LoadedSession | undefined;
	readonly turn: SaidTurn | undefined;
	/** The run of the last turn. */
	readonly run: Run | undefined;
	readonly progress: readonly TranscriptEntry[] | undefined;
	readonly said: RunSaid | undefined;
	readonly approval: Approval | undefined;
	readonly now: number;
};

/** How many messages of a session are shown, counted from the newest. */
const shownMessages = 200;

/** The most rows of one message, and the key that shows all. */
const ofMessage = {most: 400, key: literal('E')};

const indent = literal('   ');
const indentCells = 3;

/** The conversation in rows of `width` cells, newest last; the same array while nothing changed. */
export function chatLines(host: Host, width: number): readonly Line[] {
	const {state, now} = host.feed.get();
	const chat = chatNow(host);
	const {turn} = chat;
	const run = runOfTurn(host, state);
	const progress = run && state.progress[run.id];
	const said = run && state.said?.[run.id];
	const approval = run && state.approvals.find(one => one.run === run.id);
	const conversation = conversationNow(host);
	// Only the countdown of an approval changes with time.
	const second = approval ? Math.floor(now / 1000) : 0;
	return memoryOf(host.feed)(
		[conversation, turn, run, progress, said, approval, second, width],
		() => chatRows({conversation, turn, run, progress, said, approval, now}, width),
	);
}

function chatRows(sources: ChatSources, width: number): readonly Line[] {
	const {conversation, turn} = sources;
	const messages = conversation?.session.conversation ?? [];
	const hidden = messages.length - shownMessages;
	const shown = hidden > 0 ? messages.slice(hidden) : messages;
	return [
		...(hidden > 0 && conversation
			? [
					line(
						safe` … ${hidden} messages before: svc sessions show ${escapeLine(conversation.session.id)}`,
						'quiet',
					),
				]
			: []),
		...shown.flatMap(message => [...messageRows(message, conversation, width), blankLine]),
		...(turn && !isKept(conversation, turn) ? turnRows(turn, sources, width) : []),
	];
}

/** A cache that lives as long as the object that the rows are made from. */
const memoryOf = derive((_from: object) => createMemory<readonly Line[]>());

const indented = (rows: readonly Line[]): readonly Line[] =>
	rows.map(row => [{text: indent}, ...row]);

/** A message's text in rows. */
const textRows = (
	text: string,
	width: number,
	part: Omit<BlockPart, 'from' | 'text'> = {isMarkdown: true},
): readonly Line[] => indented(layOutPart({text, ...part}, width - indentCells, ofMessage));

const names: Readonly<Record<string, Safe>> = {user: literal('you'), assistant: literal('agent')};

const headRow = (name: Safe, at: number, run?: number): Line => [
	{text: safe` ${name}  `, tone: name === names['user'] ? 'accent' : 'title'},
	{
		text: run === undefined ? safe`${dayTime(at)}` : safe`${dayTime(at)}  run #${run}`,
		tone: 'quiet',
	},
];

const messageRows = (
	message: SessionMessage,
	conversation: LoadedSession | undefined,
	width: number,
): readonly Line[] =>
	memoryOf(message)([width], () => {
		const {at, run, message: said} = message;
		const {role} = said;
		const isOthers = conversation && sessionOwnerOf(conversation.session).kind !== 'person';
		const known =
			typeof role === 'string' && !(isOthers && role === 'user') ? names[role] : undefined;
		const name = known ?? (typeof role === 'string' ? escapeLine(role) : literal('?'));
		const transcript = run === undefined ? undefined : conversation?.runs.get(run)?.transcript;
		const {steps, rest} = stepsOf(blocks(transcript ?? [], true), saidText(said));
		return [
			headRow(name, at, run),
			...steps.flatMap(block => stepRows(block, width)),
			...textRows(rest, width, {isMarkdown: role === 'assistant'}),
		];
	});

const blocks = (entries: readonly TranscriptEntry[], isOver: boolean): readonly RunBlock[] =>
	blocksOf(entries, {answer: undefined, isOver, untrusted: undefined});

/** The calls of an answer in order, each with the words before it, and the words after the last call. `answer` may contain all words. */
function stepsOf(
	all: readonly RunBlock[],
	answer: string,
): {readonly steps: readonly RunBlock[]; readonly rest: string} {
	const steps = all.slice(0, all.findLastIndex(({label}) => label === 'tool') + 1);
	let rest = answer;
	for (const {label, parts} of steps) {
		const words = label === 'text' ? (parts[0]?.text.trim() ?? '') : '';
		rest = rest.startsWith(words) ? rest.slice(words.length).trimStart() : rest;
	}

	return {steps, rest};
}

function stepRows(block: RunBlock, width: number): readonly Line[] {
	if (block.label === 'tool') {
		return [toolRow(block, width)];
	}

	const [part] = block.parts;
	return block.label === 'text' && part
		? memoryOf(part.from)([width], () => textRows(part.text, width))
		: [];
}

/** A call in one row: its status, its name, and as much of its arguments as fits. */
function toolRow({sign, facts, tone, parts}: RunBlock, width: number): Line {
	const [name = '', ...rest] = facts.split('  ');
	const args = parts.find(({title}) => title === 'arguments')?.text ?? '';
	const ending = rest.join(', ');
	const end = ending === '' ? literal('') : safe`  ${escapeLine(ending)}`;
	const start = safe`   ${escapeLine(sign === '' ? '-' : sign)} ${escapeLine(name)} `;
	const room = Math.max(8, width - start.length - end.length - 1);
	return [
		{text: start, tone: sign === '✗' ? 'bad' : tone},
		{text: clip(escapeLine(args.slice(0, 1000).replaceAll(/\s+/g, ' ')), room), tone: 'quiet'},
		{text: end, tone: 'quiet'},
	];
}

/** The last turn and its answer so far. */
function turnRows(turn: SaidTurn, sources: ChatSources, width: number): readonly Line[] {
	const {run, progress, said, conversation} = sources;
	const transcript =
		progress ?? (turn.run === undefined ? undefined : conversation?.runs.get(turn.run)?.transcript);
	const isOver = run !== undefined && hasEnded(run.state);
	const steps = blocks(transcript ?? [], isOver).flatMap(block => stepRows(block, width));
	return [
		headRow(literal('you'), turn.at),
		...textRows(turn.text, width, {isMarkdown: false}),
		blankLine,
		headRow(literal('agent'), turn.at, turn.run),
		...steps,
		...(said
			? wordsBlock(said).parts.flatMap(({text, ...part}) => textRows(text, width, part))
			: []),
		...(transcript === undefined && run?.answer !== undefined ? textRows(run.answer, width) : []),
		...stateRows(sources, width),
	];
}

/** What the agent is doing, or why it failed. */
function stateRows({run, said, approval, now}: ChatSources, width: number): readonly Line[] {
	if (approval) {
		const text = safe`${wantsText(approval, now)} · ! or Alt-a to review`;
		return indented(paragraph(text, width - indentCells, 'warn'));
	}

	if (!run || !hasEnded(run.state)) {
		return [
			line(said ? literal('   ◐ the agent writes') : literal('   ◐ the agent works'), 'accent'),
		];
	}

	if (run.state === 'done') {
		return [];
	}

	const why = run.state === 'cancelled' ? 'stopped' : (run.error ?? 'it failed');
	return [
		...indented(paragraph(`✗ ${why}`, width - indentCells, 'bad')),
		line(literal('   Nothing of this turn is kept; r takes its text back.'), 'warn'),
	];
}
