import type {Authorities} from '../config/authorities.ts';
import type {Config} from '../config/config.ts';
import type {Emit} from '../core/events.ts';
import type {Logger} from '../core/log.ts';
import type {OwnMark} from '../core/own-mark.ts';
import {createDeliverer} from '../delivery/create-deliverer.ts';
import type {Deliverer} from '../delivery/deliverer.ts';
import type {GatewayWorld} from './rooms.ts';

/** The deliverer of a gateway, which tells the faces of its platforms as they change. Dispose of it after the workers. */
export const openDeliverer = (
	{clock, environment}: Pick<GatewayWorld, 'clock' | 'environment'>,
	{
		config,
		ownMark,
		authorities,
		emit,
		log,
	}: {
		readonly config: () => Config;
		readonly ownMark: OwnMark;
		readonly authorities: Authorities;
		readonly emit: Emit;
		readonly log: Logger;
	},
): Deliverer =>
	createDeliverer({
		clock,
		log: log.from('delivery'),
		config,
		environment: () => environment,
		sign: ownMark.sign,
		secureContext: () => authorities.context(),
		onPlatformChanged(platform) {
			emit({type: 'platform-changed', at: clock.now(), platform});
		},
	});
