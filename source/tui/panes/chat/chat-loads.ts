import {derive} from '../../../core/derive.ts';
import {isTurn, originOf} from '../../../core/origin.ts';
import {hasEnded, type Run, type StoredRun} from '../../../core/run.ts';
import type {ChatSession, StoredSession} from '../../../core/session.ts';
import type {GatewayState} from '../../../core/state.ts';
import type {Host} from '../../shell/shell.ts';
import type {LoadSource} from '../../state/source.ts';
import {chatNow} from './chat-state.ts';

/** A session with its agents' runs. */
export type LoadedSession = {
	readonly session: StoredSession;
	/** The runs of its newest answers. */
	readonly runs: ReadonlyMap<number, StoredRun>;
};

/** For how many answers the tool calls are shown. */
const shownRuns = 20;

/** The key is `session newest-ended-chat run`, so that any new answer reloads the session. `run` is the last turn's run, also a failed one; 0 if there is none. */
const conversations: LoadSource<LoadedSession> = {
	async load(port, key) {
		const [id = '', , turn] = key.split(' ');
		const session = await port.getSession(id);
		if (!session) {
			return undefined;
		}

		const numbers = session.conversation.flatMap(({run}) => run ?? []).slice(-shownRuns);
		const wanted = new Set([...numbers, ...(Number(turn) > 0 ? [Number(turn)] : [])]);
		const runs = await Promise.all([...wanted].map(async run => port.getRun(run)));
		return {session, runs: new Map(runs.flatMap(run => (run ? [[run.id, run] as const] : [])))};
	},
};

/** A session that can be continued, and the excerpt that contains the searched words. */
export type FoundSession = {readonly session: ChatSession; readonly excerpt?: string};

const mostFound = 100;

/** The key is `newest-ended-chat words`. Without words, all sessions, last used first. */
const foundSessions: LoadSource<readonly FoundSession[]> = {
	async load(port, key) {
		const text = key.slice(key.indexOf(' ') + 1);
		if (text.trim() === '') {
			return (await port.listSessions({limit: mostFound})).map(session => ({session}));
		}

		const seen = new Set<string>();
		const matches = await port.searchSessions({text, limit: mostFound});
		return matches.filter(({session: {id}}) => !seen.has(id) && seen.add(id));
	},
};

/** The end of the chat turn that ended last: grows with each one. */
const stampOf = derive((runs: readonly Run[]): number =>
	runs.reduce(
		(sum, run) =>
			hasEnded(run.state) && isTurn(originOf(run)) ? Math.max(sum, run.finishedAt ?? 0) : sum,
		0,
	),
);

/** Requests what the pane shows from the loaders. */
export function wantChat(host: Host): void {
	const {mode, session, query, turn} = chatNow(host);
	const isOpen = host.pane().id === 'chat';
	const stamp = stampOf(host.feed.get().state.runs);
	const isRead = isOpen && session !== undefined;
	host.loader(conversations).want(isRead ? `${session} ${stamp} ${turn?.run ?? 0}` : '');
	host
		.loader(foundSessions)
		.want(isOpen && mode === 'find' ? `${stamp} ${query.value}` : '', {kind: 'rest', ms: 120});
}

/** The open session, if loaded. */
export function conversationNow(host: Host): LoadedSession | undefined {
	const {session} = chatNow(host);
	const last = host.loader(conversations).last();
	return last?.value.session.id === session ? last?.value : undefined;
}

/** The last search results. */
export const foundNow = (host: Host): readonly FoundSession[] =>
	host.loader(foundSessions).last()?.value ?? nothing;

const nothing: readonly FoundSession[] = [];

/** Whether the session already contains the answer to the last message. */
export const isKept = (
	conversation: LoadedSession | undefined,
	{run}: {readonly run?: number},
): boolean =>
	run !== undefined && conversation?.session.conversation.some(one => one.run === run) === true;

/** The run of the last message: from the state, or if newer runs have displaced it there, from the journal. */
export function runOfTurn(host: Host, {runs}: Pick<GatewayState, 'runs'>): Run | undefined {
	const number = chatNow(host).turn?.run;
	return number === undefined
		? undefined
		: (runs.findLast(({id}) => id === number) ?? conversationNow(host)?.runs.get(number));
}

/** Whether an answer is still to come. */
export function isAnswerUnderWay(host: Host): boolean {
	const {turn} = chatNow(host);
	const run = runOfTurn(host, host.port.getState());
	return turn !== undefined && (run ? !hasEnded(run.state) : !isKept(conversationNow(host), turn));
}
