import {randomUUID} from 'node:crypto';
import type {ChatPlace, Fits, OwnText, Say} from '../../conversations/say.ts';
import {messageOf} from '../../core/errors.ts';
import {conversationName} from '../../core/origin.ts';
import type {Target} from '../../core/run.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {RoomWorld} from '../rooms.ts';

/** What is under way at the end has so long to arrive, milliseconds. */
const lastWordsMs = 1500;

/** What says texts of ours in chats, until it is disposed of. */
export function createSay(
	{clock, log: root, paths: {profile}}: Pick<RoomWorld, 'clock' | 'log' | 'paths'>,
	deliverer: Pick<Deliverer, 'deliver' | 'fits'>,
): {readonly say: Say; readonly fits: Fits} & AsyncDisposable {
	const log = root.from('conversations');
	const killed = new AbortController();
	const said = new Set<Promise<unknown>>();
	return {
		fits: async (place, text) => deliverer.fits(targetOf(place, {keeps: ''}), text),
		async say({conversation, answer}, {text, keeps, buttons}) {
			const {platform} = conversation;
			const sending = deliverer.deliver(
				{
					text,
					target: targetOf({conversation, answer}, {keeps}),
					profile,
					route: conversationName(conversation),
					event: 'chat',
					delivery: `chat-${randomUUID()}`,
					...(keeps !== undefined && {key: keeps}),
					...(buttons && {buttons}),
					isBackground: true,
					offline: false,
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
			// How requests ended has its time to arrive.
			const cancel = clock.after(lastWordsMs, () => {
				killed.abort();
			});
			await Promise.allSettled(said);
			cancel();
			killed.abort();
		},
	};
}

const targetOf = (
	{conversation: {platform, chat}, answer}: ChatPlace,
	{keeps}: {readonly keeps: OwnText['keeps']},
): Target => ({
	kind: platform,
	extra: {chat_id: chat, ...answer, ...(keeps !== undefined && {sticky: true})},
});
