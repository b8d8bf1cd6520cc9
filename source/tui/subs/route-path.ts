import type {RouteView} from '../../core/config-view.ts';

/** Where senders post events of a route to. @see Interface 5.2 */
export const routePath = ({profile, name}: Pick<RouteView, 'profile' | 'name'>): string =>
	profile === 'default' ? `/webhooks/${name}` : `/p/${profile}/webhooks/${name}`;
