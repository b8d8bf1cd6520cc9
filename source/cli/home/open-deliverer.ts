import {createAuthorities} from '../../config/authorities.ts';
import type {Config} from '../../config/config.ts';
import {silentLogger} from '../../core/log.ts';
import {createDeliverer} from '../../delivery/create-deliverer.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {Context} from '../console/context.ts';

/** A deliverer for a command with these settings; stores nothing about what it sends. */
export function openDeliverer({clock, environment}: Context, config: Config): Deliverer {
	const authorities = createAuthorities(() => config, {log: silentLogger});
	return createDeliverer({
		clock,
		log: silentLogger,
		config: () => config,
		environment: () => environment,
		secureContext: () => authorities.context(),
	});
}
