import type {RouteView} from './config-view.ts';

/** The path of a route below the receiver's address: `/webhooks/NAME`, for another profile `/p/PROFILE/webhooks/NAME`. @see manual/receiver.md#answers */
export const routePath = ({name, profile}: Pick<RouteView, 'name' | 'profile'>): string =>
	`${profile === 'default' ? '' : `/p/${profile}`}/webhooks/${name}`;
