import {randomUUID} from 'node:crypto';
import type {Say} from '../../conversations/say.ts';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {conversationName} from '../../core/origin.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';

/** What says texts of ours in chats, until it is disposed of. */
export function createSay({
	deliverer,
	profile,
	log,
}: {
	readonly deliverer: Pick<Deliverer, 'deliver'>;
	readonly profile: string;
	readonly log: Logger;
}): {readonly say: Say} & AsyncDisposable {
	const killed = new AbortController();
	const said = new Set<Promise<unknown>>();
	return {
		async say({conversation, answer}, {text, keeps, buttons, isOffline = false}) {
			const {platform, chat} = conversation;
			const sending = deliverer.deliver(
				{
					text,
					target: {
						kind: platform,
						extra: {chat_id: chat, ...answer, ...(keeps !== undefined && {sticky: true})},
					},
					profile,
					route: conversationName(conversation),
					event: 'chat',
					delivery: `chat-${randomUUID()}`,
					...(keeps !== undefined && {key: keeps}),
					...(buttons && {buttons}),
					isBackground: true,
					offline: isOffline,
				},
				killed.signal,
			);
			said.add(sending);
			try {
				await sending;
				return undefined;
			} catch (error) {
				const failure = messageOf(error);
				log.warn(`Cannot say something in a chat: ${failure}`, {platform});
				return failure;
			} finally {
				said.delete(sending);
			}
		},
		async [Symbol.asyncDispose]() {
			killed.abort();
			await Promise.allSettled(said);
		},
	};
}
