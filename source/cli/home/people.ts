import {allowWriter} from '../../config/allow-writer.ts';
import {ensureHome} from '../../config/home-paths.ts';
import {isHeard} from '../../config/platform-settings.ts';
import type {ChatPort} from '../../nouns/chat/chat.ts';
import type {Context} from '../console/context.ts';
import {findGateway} from './gateway-access.ts';
import {readConfig} from './receiver-facts.ts';

/** The people on platforms: through the gateway if one runs, else in `config.yaml`. */
export async function openPeople(context: Context): Promise<ChatPort & AsyncDisposable> {
	const gateway = await findGateway(context);
	return {
		allowWriter: gateway
			? async person => gateway.allowWriter(person)
			: async person => {
					const paths = context.paths();
					ensureHome(paths);
					const added = await allowWriter(paths, person, {clock: context.clock});
					return {added, heard: isHeard(readConfig(context), person.platform)};
				},
		async [Symbol.asyncDispose]() {},
	};
}
