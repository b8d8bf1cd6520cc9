import type {ChatTurn} from '../../agent/runner.ts';
import type {Clock} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';
import {originOf, type Conversation} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import {messageText, mintSessionId, sessionOwnerFacts} from '../../core/session.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Store} from '../../store/port.ts';
import type {SessionTurn} from '../../store/session-port.ts';

const maxTitle = 80;

/** Turns of conversations on platforms, in their sessions. */
export type SessionTurns = ReturnType<typeof createSessionTurns>;

export function createSessionTurns({
	clock,
	store: {sessions, conversations},
}: {
	readonly clock: Pick<Clock, 'now'>;
	readonly store: Pick<Store, 'conversations' | 'sessions'>;
}) {
	const append = async (
		{session, platform, chat, thread}: Conversation & {readonly session: string},
		turn: SessionTurn,
	) => {
		const owner = {platform, chat, ...(thread !== undefined && {thread})};
		if (!(await sessions.get(session))) {
			await sessions.begin({
				id: session,
				model: turn.model,
				createdAt: turn.at,
				...sessionOwnerFacts({kind: 'chat', ...owner}),
			});
		}

		try {
			await sessions.append(session, turn);
		} catch (error) {
			if (codeOf(error) !== 'session_full') {
				throw error;
			}

			// The person cannot begin a new session before their next message would be lost, so one is begun here. Turns queued for the full session follow into it.
			const current = await conversations.session(owner);
			if (current !== undefined && current !== session) {
				await append({...owner, session: current}, turn);
				return;
			}

			const next = mintSessionId();
			await conversations.setSession(owner, next);
			await append({...owner, session: next}, turn);
		}
	};

	return {
		/** What was said before the turn of this run; `undefined` when the run is not such a turn. */
		async begin(run: StoredRun): Promise<ChatTurn | undefined> {
			const turn = turnOf(run);
			if (!turn) {
				return undefined;
			}

			const before = await sessions.messages(turn.session);
			return {
				of: 'chat',
				system: '',
				before: before.map(({message}) => ({
					role: message['role'] === 'assistant' ? 'assistant' : 'user',
					text: messageText(message),
				})),
			};
		},
		/**
		 * Durably appends question and answer of the run's turn to its session, once per run even if called again; does nothing for other runs.
		 *
		 * @throws SvcError `journal_unavailable`
		 */
		async keep(run: StoredRun) {
			const turn = turnOf(run);
			if (!turn) {
				return;
			}

			const {prompt} = run.plan;
			const answer = run.fullAnswer ?? '';
			await append(turn, {
				at: clock.now(),
				model: run.model ?? '',
				title: escapeLine(prompt.replaceAll(/\s+/g, ' ').trim(), maxTitle),
				messages: [
					{message: {role: 'user', content: prompt}, text: prompt},
					{message: {role: 'assistant', content: answer}, text: answer, run: run.id},
				],
			});
		},
		/** Durably appends a text delivered to a chat to that chat's session, as a turn of the agent; does nothing without a session. Same errors. */
		async mirror(conversation: Conversation, text: string) {
			const session = await conversations.session(conversation);
			const stored = session === undefined ? undefined : await sessions.get(session);
			if (session !== undefined && stored) {
				await append(
					{...conversation, session},
					{
						at: clock.now(),
						model: stored.model,
						title: '',
						messages: [{message: {role: 'assistant', content: text}, text}],
					},
				);
			}
		},
	};
}

function turnOf(run: StoredRun) {
	const origin = originOf(run);
	const {session} = run.plan;
	return origin.kind === 'chat' && session !== undefined ? {...origin, session} : undefined;
}
