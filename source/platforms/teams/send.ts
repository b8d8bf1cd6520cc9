import {parsedJson} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {createAsk, limited} from '../ask.ts';
import type {Connect, WebhookSettings} from '../platform.ts';
import {asJson} from '../text/dialect.ts';
import {splitAs} from '../text/messages.ts';
import {teams, type CardElement} from './dialect.ts';

/** Maximum size of the whole message, bytes: Teams accepts 28 KB. */
const maxBytes = 28_000;

/** How long to wait after a rate limit, milliseconds: Teams does not say. */
const waitMs = 30_000;

/** Posts messages, which are already JSON, to the webhook of a workflow. Rejects as `Ask`. @see manual/delivery-teams.md */
export const connect: Connect<WebhookSettings> = ({webhooks, maxParts}, world) => {
	const ask = createAsk(world, {
		platform: 'teams',
		refusalIs: 'platform_rejected',
		judge: ({status}) => status === 202 || (status === 429 && limited(waitMs)),
	});

	return apiSender(ask, {
		split: splitAs(asJson(teams, messageOf), maxBytes, maxParts),
		// The text is JSON made by `split`.
		send: ({text}, {chat}) => ({
			url: webhooks.get(chat)?.url ?? '',
			json: parsedJson(text) ?? null,
		}),
	});
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
