import {createAsk, type Ask, type Judged} from '../ask.ts';
import type {SenderWorld} from '../target-kind.ts';
import type {MattermostSettings} from './descriptor.ts';

/** Creates an `Ask` for the bot account. `isGood`: whether an answer without an error is a success. */
export const askMattermost = (
	{botToken, apiBase}: Pick<MattermostSettings, 'apiBase' | 'botToken'>,
	world: Pick<SenderWorld, 'clock' | 'post'>,
	isGood: (answer: Judged) => boolean,
): Ask =>
	createAsk(world, {
		platform: 'mattermost',
		base: `${apiBase}/api/v4`,
		headers: {authorization: `Bearer ${botToken}`},
		judge(answer) {
			const {status, header, json} = answer;
			// Errors also have an `id`.
			if (status < 300 && json['status_code'] === undefined && isGood(answer)) {
				return true;
			}

			if (status !== 429) {
				return false;
			}

			// The time when the whole allowance is available again; `Retry-After` is the time of the next request.
			const resetMs = Number(header('x-ratelimit-reset')) * 1000;
			return {
				code: 'platform_rate_limited',
				retryAfterMs: header('retry-after') === undefined ? resetMs : undefined,
			};
		},
	});
