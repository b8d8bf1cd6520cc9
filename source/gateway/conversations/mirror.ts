import {platformSettings} from '../../config/platform-settings.ts';
import {messageOf} from '../../core/errors.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {OutgoingMessage} from '../../platforms/outgoing-message.ts';
import type {Place} from '../../platforms/platform.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {RoomWorld} from '../rooms.ts';
import type {SessionTurns} from './session-turns.ts';

/**
 * A deliverer that adds what `mirrors` to the session of its chat, once it has arrived. Only sessions of the gateway's own profile are known. What goes wrong is logged, and no delivery fails by it.
 *
 * @see manual/conversations.md#mirroring
 */
export function withMirror(
	world: RoomWorld,
	{sending, turns}: {readonly sending: Deliverer; readonly turns: Pick<SessionTurns, 'mirror'>},
): Deliverer {
	const {live, paths, redact} = world;
	const log = world.log.from('conversations');
	const mirror = async ({target: {kind, extra}, route, text}: OutgoingMessage) => {
		const target = targetNamed(kind);
		const settings = platformSettings(live.current(), kind);
		const checked = target?.listens && settings && target.check(extra, settings);
		if (!checked?.ok) {
			return;
		}

		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a platform it is one
		const {chat, thread} = checked.value as Place;
		await turns.mirror(
			{platform: kind, chat, ...(thread !== undefined && {thread})},
			redact(`[Webhook delivery: ${route}]\n${text}`),
		);
	};

	return {
		...sending,
		async deliver(message, signal) {
			const receipt = await sending.deliver(message, signal);
			if (message.mirrors && message.profile === paths.profile && !receipt.withheld) {
				await mirror(message).catch((error: unknown) => {
					log.warn('Cannot add what was delivered to the session of its chat', {
						route: message.route,
						error: messageOf(error),
					});
				});
			}

			return receipt;
		},
	};
}
