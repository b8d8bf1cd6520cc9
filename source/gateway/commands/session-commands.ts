import type {SessionDesk} from '../../api/sessions/session-desk.ts';
import {SvcError} from '../../core/errors.ts';
import type {StoredSessions} from '../../store/session-port.ts';
import type {PersonChat} from '../chat/person-chat.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {sessions as table} from '../contract/sessions.ts';

/** The commands for chat sessions, of a gateway in this process or of a home without one. */
export const createSessionCommands = (
	open: () => Promise<{
		readonly sessions: Pick<StoredSessions, 'get' | 'messages' | 'list' | 'search'>;
		readonly desk: Pick<SessionDesk, 'remove'>;
		/** Absent: no gateway runs. */
		readonly chat?: PersonChat;
	}>,
): CommandsOf<typeof table> => ({
	async listSessions(filter) {
		return (await open()).sessions.list(filter);
	},
	async getSession(id) {
		const {sessions} = await open();
		const session = await sessions.get(id);
		return session && {...session, conversation: await sessions.messages(id)};
	},
	async deleteSession(id) {
		return (await open()).desk.remove(id);
	},
	async sendChat(said) {
		const {chat} = await open();
		if (!chat) {
			throw new SvcError('gateway_not_running', 'Cannot chat: no gateway runs');
		}

		return chat.say(said);
	},
	async searchSessions({text = '', limit}) {
		return (await open()).sessions.search(text, limit);
	},
});
