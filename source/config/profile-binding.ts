import {defaultProfile, namePattern} from './home-paths.ts';

/** What decides whether a profile is served here. */
type Serving = {
	/** The profile that this gateway runs in. */
	readonly profile: string;
	readonly multiplexProfiles: boolean;
};

/**
 * The profile that a route's `profile` binds it to: `default` when the key is absent or names the profile that this gateway runs in. `undefined` for what is not
 * a name (null, blank, a number, a path): such a route belongs to no profile.
 *
 * @see manual/routes.md#keys
 */
export function boundProfile(written: unknown, {profile}: Serving): string | undefined {
	if (written === undefined || written === defaultProfile || written === profile) {
		return defaultProfile;
	}

	return typeof written === 'string' && namePattern.test(written) ? written : undefined;
}

/** The profile of a route that this gateway serves; `undefined` when it does not, whatever the reason. */
export function servedProfile(written: unknown, serving: Serving): string | undefined {
	const bound = boundProfile(written, serving);
	return bound === defaultProfile || serving.multiplexProfiles ? bound : undefined;
}
