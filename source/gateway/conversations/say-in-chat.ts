import {randomUUID} from 'node:crypto';
import {platformSettings} from '../../config/platform-settings.ts';
import {
	createGrowingAnswer,
	pauseBetweenEdits,
	type GrowingAnswer,
} from '../../conversations/growing-answer.ts';
import type {ChatPlace, Fits, OwnText, Say} from '../../conversations/say.ts';
import {messageOf} from '../../core/errors.ts';
import {conversationName, originOf} from '../../core/origin.ts';
import type {Target, StoredRun} from '../../core/run.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {OutgoingMessage} from '../../platforms/outgoing-message.ts';
import type {MessagePlace} from '../../platforms/platform.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {RoomWorld} from '../rooms.ts';
import type {SessionTurns} from './session-turns.ts';

/** Time limit for messages still being sent at the end, milliseconds. */
const lastWordsMs = 1500;

/** Sends texts of the gateway to chats until disposed of. */
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
			// Lets messages about how requests ended arrive.
			const cancel = clock.after(lastWordsMs, () => killed.abort());
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

/** Shows a turn's answer in its chat while it is being written, on platforms where messages can be edited. */
export const createGrow =
	({broker, clock, live}: Pick<RoomWorld, 'broker' | 'clock' | 'live'>, say: Say) =>
	({plan, ...run}: StoredRun): GrowingAnswer | undefined => {
		const config = live.current();
		const origin = originOf(run);
		const {key} = plan;
		// Text that no language model wrote stays in the log, unless it may be delivered.
		const isOffline = broker.getState().model?.provider === 'offline';
		const isWithheld = isOffline && !config.model.allowOfflineDelivery;
		if (origin.kind !== 'chat' || key === undefined || isWithheld) {
			return undefined;
		}

		const kind = targetNamed(origin.platform);
		if (kind?.edits === undefined) {
			return undefined;
		}

		const {platform, chat, thread} = origin;
		const usual = typeof kind.pace === 'function' ? kind.pace(chat) : (kind.pace ?? 0);
		const perMinute = platformSettings(config, platform)?.perMinute ?? usual;
		const {sticky: _, chat_id: __, ...answer} = plan.target.extra;
		return createGrowingAnswer(
			{clock, say},
			{
				place: {
					conversation: {platform, chat, ...(thread !== undefined && {thread})},
					answer,
				},
				key,
				pauseMs: pauseBetweenEdits(perMinute),
			},
		);
	};

/**
 * Returns a function that appends a delivered message to the session of its chat, for sessions of the gateway's own profile only. Never rejects: failures are logged and
 * affect no delivery.
 *
 * @see manual/conversations.md#mirroring
 */
export function createMirror(
	world: Pick<RoomWorld, 'live' | 'log' | 'paths' | 'redact'>,
	turns: Pick<SessionTurns, 'mirror'>,
): (message: OutgoingMessage) => Promise<void> {
	const {live, paths, redact} = world;
	const log = world.log.from('conversations');
	const mirror = async ({target: {kind, extra}, route, text}: OutgoingMessage) => {
		const target = targetNamed(kind);
		const settings = platformSettings(live.current(), kind);
		const checked = target?.listens && settings && target.check(extra, settings);
		if (!checked?.ok) {
			return;
		}

		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- on a platform the checked value is a place
		const {chat, thread} = checked.value as MessagePlace;
		await turns.mirror(
			{platform: kind, chat, ...(thread !== undefined && {thread})},
			redact(`[Webhook delivery: ${route}]\n${text}`),
		);
	};

	return async message => {
		if (message.profile === paths.profile) {
			await mirror(message).catch((error: unknown) => {
				log.warn('Cannot add what was delivered to the session of its chat', {
					route: message.route,
					error: messageOf(error),
				});
			});
		}
	};
}
