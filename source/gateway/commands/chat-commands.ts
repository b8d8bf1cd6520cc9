import type {Config} from '../../config/config.ts';
import {mayApprove, mayTalk, type People} from '../../conversations/judge-message.ts';
import {conversationNamed} from '../../core/origin.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Writer} from '../../store/conversation-rules.ts';
import type {StoreReader} from '../../store/reader-port.ts';
import type {chats as table} from '../contract/chats.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

type ChatCommands = CommandsOf<typeof table>;

/** Maximum number of conversations shown for one chat. */
const mostConversations = 20;

/** The commands that list who wrote on platforms, for a running gateway or for a home without one. */
export function createChatReads(rooms: {
	readonly store: Pick<StoreReader, 'conversations'>;
	readonly paths: Pick<Rooms['paths'], 'profile'>;
	readonly live: {
		current(): Pick<Config, 'platforms'> | Promise<Pick<Config, 'platforms'>>;
	};
}): Pick<ChatCommands, 'listChats' | 'getChat'> {
	const people = async (isMeant: (writer: Writer) => boolean) => {
		const {conversingSettings} = await import('../../config/platform-settings.ts');
		const {conversations} = rooms.store;
		const [writers, config] = await Promise.all([conversations.writers(), rooms.live.current()]);
		return writers
			.filter(isMeant)
			.map(writer => writerView(writer, conversingSettings(config, writer.platform)));
	};

	return {
		listChats: async () => people(() => true),
		async getChat(name) {
			const {store, paths} = rooms;
			const asked = conversationNamed(name);
			const {platform, chat} = asked;
			const there = await people(
				writer =>
					writer.platform === platform &&
					writer.chat === chat &&
					(asked.thread === undefined || writer.thread === asked.thread),
			);
			if (there.length === 0) {
				return undefined;
			}

			const threads = [...new Set(there.map(({thread}) => thread))].slice(0, mostConversations);
			const conversations = threads.map(async thread => {
				const conversation = {platform, chat, ...(thread !== null && {thread})};
				const open = await store.conversations.open(paths.profile, conversation);
				return {
					thread,
					session: (await store.conversations.session(conversation)) ?? null,
					open: open.map(({run, isQueued}) => ({run, queued: isQueued})),
				};
			});
			return {platform, chat, people: there, conversations: await Promise.all(conversations)};
		},
	};
}

function writerView(writer: Writer, settings: People | undefined) {
	const {platform, chat, thread = null, user, name = null, lastAt, messages} = writer;
	const allowed = settings !== undefined && mayTalk(settings, user);
	const approver = settings !== undefined && mayApprove(settings, user);
	return {platform, chat, thread, user, name, allowed, approver, lastAt, messages};
}

/** The command of a running gateway that allows a person to talk with the agent. */
export const createChatChanges = (
	rooms: Pick<Rooms, 'clock' | 'live' | 'log'>,
): Pick<ChatCommands, 'allowWriter'> => ({
	async allowWriter({platform, user}) {
		const {clock, live, log} = rooms;
		const [{allowWriter}, {isHeard}] = await Promise.all([
			import('../../config/allow-writer.ts'),
			import('../../config/platform-settings.ts'),
		]);
		const added = await allowWriter(live.current().paths, {platform, user}, {clock});
		if (added) {
			await live.reload();
			log.info(`Somebody may talk with the agent on ${platform} from now on`, {
				user: escapeLine(user, 200),
			});
		}

		return {added, heard: isHeard(live.current(), platform)};
	},
});
