import {platformSettings} from '../../config/platform-settings.ts';
import {
	createGrowingAnswer,
	pauseBetweenEdits,
	type GrowingAnswer,
} from '../../conversations/growing-answer.ts';
import type {Say} from '../../conversations/say.ts';
import {originOf} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import {targetNamed} from '../../platforms/platforms.ts';
import type {RoomWorld} from '../rooms.ts';

/** Shows answers of turns in their chats while they grow, where the platform lets messages be changed. */
export const createGrow =
	({broker, clock, live}: Pick<RoomWorld, 'broker' | 'clock' | 'live'>, say: Say) =>
	({plan, ...run}: StoredRun): GrowingAnswer | undefined => {
		const config = live.current();
		const origin = originOf(run);
		const {key} = plan;
		// What is no model's text stays in the log, unless it may leave.
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
