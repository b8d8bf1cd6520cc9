import type {Config} from '../../config/config.ts';
import {platformSettings} from '../../config/platform-settings.ts';
import type {PlatformView} from '../../core/config-view.ts';
import {SvcError} from '../../core/errors.ts';
import {testMessage} from '../../delivery/test-message.ts';
import {unknownTarget} from '../../delivery/unknown-target.ts';
import type {ListedPlatform} from '../../nouns/platform/platform.ts';
import {platformKinds, platformNamed} from '../../platforms/platforms.ts';
import type {PlatformSettings} from '../../platforms/target-kind.ts';
import type {Context} from '../console/context.ts';
import {findGateway} from './gateway-access.ts';
import {openDeliverer} from './open-deliverer.ts';
import {readConfig} from './receiver-facts.ts';

/** Sends a test message, through the gateway when one runs; resolves with its receipt. @throws SvcError `platform_unknown`, and of `DeliveryError` */
export async function sendTest(
	context: Context,
	kind: string,
	extra: {readonly chat_id?: string; readonly thread_id?: string},
): Promise<string> {
	if (!platformNamed(kind)) {
		throw new SvcError('platform_unknown', `Cannot send: ${unknownTarget(kind).problem}`);
	}

	const gateway = await findGateway(context);
	if (gateway) {
		return (await gateway.testPlatform(kind, extra)).delivered;
	}

	await using deliverer = openDeliverer(context, readConfig(context));
	const {summary} = await deliverer.deliver(
		testMessage(kind, extra, context.clock.now()),
		new AbortController().signal,
	);
	return summary;
}

/** Every platform as it stands: as the gateway knows it, or asked now where it is enabled. `only`: this one alone. */
export async function listPlatforms(
	context: Context,
	only?: string,
): Promise<readonly ListedPlatform[]> {
	const config = readConfig(context);
	const gateway = await findGateway(context);
	const known = gateway ? (await gateway.status()).platforms : [];
	return Promise.all(
		platformKinds
			.filter(({kind}) => only === undefined || kind === only)
			.map(async ({kind, title = kind, setUp = []}) => {
				const view: PlatformView = gateway
					? (known.find(({name}) => name === kind) ?? {name: kind, state: 'disabled'})
					: await lookAt(context, config, kind);
				// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every platform has it
				const {homeChannel} = (platformSettings(config, kind) ?? {}) as {homeChannel?: string};
				return {
					...view,
					title,
					...(homeChannel !== undefined && {home_channel: homeChannel}),
					...(only !== undefined && {set_up: setUp}),
				};
			}),
	);
}

/** How a platform stands without a gateway: one that is enabled is asked. */
async function lookAt(context: Context, config: Config, kind: string): Promise<PlatformView> {
	const settings: PlatformSettings | undefined = platformSettings(config, kind);
	if (!settings?.enabled) {
		return {name: kind, state: 'disabled'};
	}

	await using deliverer = openDeliverer(context, config);
	// The check has a limit of its own.
	const health = await deliverer.examine(kind, 'default', new AbortController().signal);
	return health && health.health !== 'ok'
		? {name: kind, state: 'failed', reason: health.found}
		: {name: kind, state: 'connected'};
}
