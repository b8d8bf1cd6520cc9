import type {Config} from '../../config/config.ts';
import {platformSettings} from '../../config/platform-settings.ts';
import {
	createGrowingAnswer,
	pauseBetweenEdits,
	type GrowingAnswer,
} from '../../conversations/growing-answer.ts';
import type {Say} from '../../conversations/say.ts';
import type {Clock} from '../../core/clock.ts';
import {originOf} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import {targetNamed} from '../../platforms/platforms.ts';

/** Shows answers of turns in their chats while they grow, where the platform lets messages be changed. */
export const createGrow =
	(
		world: {readonly clock: Clock; readonly say: Say},
		{
			config,
			isOffline,
		}: {
			readonly config: () => Pick<Config, 'model' | 'platforms'>;
			/** Whether no language model is configured: what is no model's text stays in the log, unless it may leave. */
			readonly isOffline: () => boolean;
		},
	) =>
	({plan, ...run}: StoredRun): GrowingAnswer | undefined => {
		const origin = originOf(run);
		const {key} = plan;
		const isWithheld = isOffline() && !config().model.allowOfflineDelivery;
		if (origin.kind !== 'chat' || key === undefined || isWithheld) {
			return undefined;
		}

		const kind = targetNamed(origin.platform);
		if (kind?.edits === undefined) {
			return undefined;
		}

		const {platform, chat, thread} = origin;
		const usual = typeof kind.pace === 'function' ? kind.pace(chat) : (kind.pace ?? 0);
		const perMinute = platformSettings(config(), platform)?.perMinute ?? usual;
		const {sticky: _, chat_id: __, ...answer} = plan.target.extra;
		return createGrowingAnswer(world, {
			place: {
				conversation: {platform, chat, ...(thread !== undefined && {thread})},
				answer,
			},
			key,
			pauseMs: pauseBetweenEdits(perMinute),
		});
	};
