import {version} from '../../core/program.ts';
import {createAsk, type Ask, type AskOptions} from '../ask.ts';
import type {SenderWorld} from '../target-kind.ts';
import type {DiscordSettings} from './descriptor.ts';

/** The base of all paths. */
export const baseOf = ({apiBase}: Pick<DiscordSettings, 'apiBase'>): string => `${apiBase}/api/v10`;

/** Creates an `Ask` for a bot. */
export const askDiscord = (
	{botToken, apiBase}: Pick<DiscordSettings, 'apiBase' | 'botToken'>,
	world: Pick<SenderWorld, 'clock' | 'post'>,
	judge: AskOptions['judge'],
): Ask =>
	createAsk(world, {
		platform: 'discord',
		base: baseOf({apiBase}),
		headers: {
			authorization: `Bot ${botToken}`,
			// Another form is refused. See https://discord.com/developers/docs/reference#user-agent
			'user-agent': `DiscordBot (https://www.npmjs.com/package/svc-agent, ${version})`,
		},
		judge,
	});
