import {defaultProfile} from './home-paths.ts';
import type {Route} from './route.ts';

/** Where a route is reached below the receiver's address: `/webhooks/NAME`, for another profile `/p/PROFILE/webhooks/NAME`. @see Interface 4.2 */
export const routePath = ({name, profile}: Pick<Route, 'name' | 'profile'>): string =>
	`${profile === defaultProfile ? '' : `/p/${profile}`}/webhooks/${name}`;
