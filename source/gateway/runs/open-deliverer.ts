import type {Authorities} from '../../config/authorities.ts';
import type {Emit} from '../../core/events.ts';
import type {Logger} from '../../core/log.ts';
import type {OwnMark} from '../../core/own-mark.ts';
import {createDeliverer} from '../../delivery/create-deliverer.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {Store} from '../../store/port.ts';
import type {LiveConfig} from '../live-config.ts';
import type {GatewayWorld} from '../rooms.ts';

/** The deliverer of a gateway, which tells the faces of its platforms as they change. Dispose of it after the workers. */
export const openDeliverer = (
	{clock, environment}: Pick<GatewayWorld, 'clock' | 'environment'>,
	{
		live,
		ownMark,
		authorities,
		store,
		emit,
		log,
	}: {
		readonly live: Pick<LiveConfig, 'current'>;
		readonly ownMark: OwnMark;
		readonly authorities: Authorities;
		readonly store: Pick<Store, 'memos'>;
		readonly emit: Emit;
		readonly log: Logger;
	},
): Deliverer =>
	createDeliverer({
		clock,
		log: log.from('delivery'),
		config: () => live.current(),
		environment: () => environment,
		sign: ownMark.sign,
		secureContext: () => authorities.context(),
		memos: store.memos,
		onPlatformChanged(platform) {
			emit({type: 'platform-changed', at: clock.now(), platform});
		},
	});
