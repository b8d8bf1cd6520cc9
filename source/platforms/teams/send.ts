import type {JsonObject} from '../../core/json.ts';
import {createAsk} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {asJson} from '../text/dialect.ts';
import {splitAs} from '../text/messages.ts';
import type {TeamsSettings} from './descriptor.ts';
import {teams, type CardElement} from './dialect.ts';

/** Bytes of the whole message: Teams takes 28 KB. */
const maxBytes = 28_000;

/** Teams does not say how long to wait. */
const waitMs = 30_000;

/** Posts messages, which are JSON already, to the webhook of a workflow. Rejects as `Ask`. @see manual/delivery-teams.md */
export const connect: SenderModule<TeamsSettings, Place>['connect'] = (
	{webhooks, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'teams',
		refusalIs: 'platform_rejected',
		judge: ({status}) =>
			status === 202
				? true
				: status === 429
					? {code: 'platform_rate_limited', retryAfterMs: waitMs}
					: undefined,
	});

	return {
		split: splitAs(asJson(teams, messageOf), maxBytes, maxParts),
		async send({text}, {chat}, limits) {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `split` made it
			const json = JSON.parse(text) as JsonObject;
			await ask({url: webhooks.get(chat)?.url ?? '', json}, limits);
			return {place: `teams ${chat}`};
		},
	};
};

const messageOf = (body: readonly CardElement[]) => ({
	type: 'message',
	attachments: [
		{
			contentType: 'application/vnd.microsoft.card.adaptive',
			contentUrl: null,
			content: {type: 'AdaptiveCard', version: '1.5', msteams: {width: 'Full'}, body},
		},
	],
});
