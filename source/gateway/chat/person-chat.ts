import type {AgentTurns} from '../../api/agent-turns.ts';
import {ApiError} from '../../api/http/api-error.ts';
import type {PublicModel, PublicModels} from '../../api/http/public-model.ts';
import {turnMessages} from '../../api/shapes/chat-messages.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import type {OpenSession, SessionDesk} from '../../store/session-desk.ts';

const person = {kind: 'person'} as const;

/** The person at the terminal talks to the agent, in sessions of their own. */
export function createPersonChat(given: {
	readonly models: PublicModels;
	readonly desk: Pick<SessionDesk, 'begin' | 'resume'>;
	readonly turn: AgentTurns;
}) {
	const {models, desk, turn} = given;
	const work = async (
		session: OpenSession,
		options: {
			readonly model: PublicModel;
			readonly text: string;
			readonly onBegin: (run: number) => void;
		},
	) => {
		const {model, text, onBegin} = options;
		await using open = session;
		const asked = [{role: 'user', content: text}];
		open.checkRoom(asked);
		await turn({
			model,
			messages: turnMessages([...open.before, ...asked]),
			origin: person,
			isTest: false,
			requestId: '',
			denyApprovals: false,
			// Never aborts: the turn is stopped by cancelling its run.
			signal: new AbortController().signal,
			async onText() {},
			async onProgress() {},
			onBegin(run) {
				open.tell();
				onBegin(run);
			},
			async onAnswer({text: content, run}) {
				await open.keep({asked, answer: {role: 'assistant', content}, model: model.id, run});
			},
		});
	};

	return {
		/**
		 * Begins a turn; resolves when its run has started. Without `session` it begins a new session. Question and answer are in the session before the run is done; a failed turn
		 * leaves nothing there.
		 *
		 * @throws SvcError `session_not_found`, `session_busy`, `session_full`, `chat_refused`, `journal_unavailable`
		 */
		async say({text, session: id}: {readonly text: string; readonly session?: string}): Promise<{
			readonly session: string;
			readonly run: number;
		}> {
			const model = agentOf(models);
			const session = await (id === undefined
				? desk.begin(person, model.id)
				: desk.resume(person, id));
			const begun = Promise.withResolvers<number>();
			// A failure after the start is reported by the run itself.
			work(session, {model, text, onBegin: begun.resolve}).catch(begun.reject);
			try {
				return {session: session.id, run: await begun.promise};
			} catch (error) {
				throw error instanceof ApiError
					? new SvcError('chat_refused', messageOf(error), {cause: error})
					: error;
			}
		},
	};
}

/** The first agent of `api.models` that has tools, else the first one. */
function agentOf(models: PublicModels): PublicModel {
	const agents = [...models()].filter(([, {agent}]) => agent);
	const [id, model] = agents.find(([, {tools}]) => tools) ?? agents[0] ?? [];
	if (id === undefined || !model) {
		throw new SvcError(
			'chat_refused',
			'Cannot begin a chat: none of "api.models" in config.yaml is an agent',
		);
	}

	return {id, ...model};
}
