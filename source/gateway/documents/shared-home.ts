import {defaultProfile} from '../../config/home-paths.ts';
import type {SharedHome, SharedLogins} from '../../config/shared-home.ts';
import {maxEditedBytes} from '../../config/text-files.ts';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {DocumentKey} from '../../store/document-port.ts';
import type {DocumentMirror} from './document-mirror.ts';
import {jobForm, onNewest, sharedText, subscriptionForm, waitForLease} from './shared-texts.ts';
import {holdsSealed} from './strongbox.ts';

/** How long to wait for the lease of a member that renews tokens, milliseconds: it holds the lease for one request, whose time is limited. */
const loginWaitMs = 60_000;

const loginKind = 'token';

/** The parts of a home that the members of a cluster share, by profile. Logins are shared only where they are encrypted. */
export function createSharedHome(
	mirror: DocumentMirror,
	options: {
		readonly clock: Clock;
		/** Name of the database, for messages. */
		readonly name: string;
		/** Whether there is a `gateway.store_key`; known once the database is open. */
		readonly sharesLogins: () => boolean;
	},
): SharedHome {
	const {clock, name, sharesLogins} = options;
	const profiles = new Map<string, SharedHome>();
	const of = (wanted: string): SharedHome => {
		const known = profiles.get(wanted);
		if (known) {
			return known;
		}

		const owner = wanted === defaultProfile ? '' : ` of ${wanted}`;
		const logins = sharedLogins(mirror, {clock, name, profile: wanted});
		const home: SharedHome = {
			subscriptions: sharedText(mirror, {
				name: `${name} (subscriptions${owner})`,
				profile: wanted,
				form: subscriptionForm,
			}),
			jobs: sharedText(mirror, {name: `${name} (jobs${owner})`, profile: wanted, form: jobForm}),
			get logins() {
				return sharesLogins() ? logins : undefined;
			},
			of,
		};
		profiles.set(wanted, home);
		return home;
	};

	return of(defaultProfile);
}

/**
 * Whether a file is a grant: those are written under a lease, so that a renewal by another member is not overwritten. Everything else can be discovered again by each
 * connection: the last write wins.
 */
const isGrant = (file: string): boolean =>
	!/(?:\.client\.json|\.meta\.json|\.cimd-off)$/.test(file);

function sharedLogins(
	mirror: DocumentMirror,
	{clock, name, profile}: {readonly clock: Clock; readonly name: string; readonly profile: string},
): SharedLogins {
	const keyOf = (file: string): DocumentKey => ({kind: loginKind, profile, name: file});
	const stored = (file: string) => mirror.of(loginKind, profile).get(file);
	return {
		name: `${name} (logins)`,
		read(file) {
			const {data} = stored(file) ?? {};
			if (data !== undefined && (typeof data !== 'string' || holdsSealed(data))) {
				throw new SvcError(
					'store_key_wrong',
					`Cannot read the login "${file}" in ${name}: gateway.store_key is not the key that it is encrypted with; set the key that the other gateways have`,
				);
			}

			return data;
		},
		async replace(file, text) {
			if (Buffer.byteLength(text) > maxEditedBytes) {
				throw new SvcError('login_file_unusable', `Cannot use "${file}": it is too large`);
			}

			const put = async () => {
				const {data, version = 0} = stored(file) ?? {};
				if (data !== text) {
					await mirror.put(keyOf(file), text, version);
				}

				await mirror.refresh();
			};
			await (isGrant(file) ? put() : onNewest(mirror, put));
		},
		remove: async file =>
			onNewest(mirror, async () => {
				const {version} = stored(file) ?? {};
				const removed = version !== undefined && (await mirror.remove(keyOf(file), version));
				await mirror.refresh();
				return removed;
			}),
		async exclusively(server, task) {
			await using _ = await waitForLease(mirror.store().leases(`oauth:${profile}/${server}`), {
				clock,
				what: `the login to "${server}"`,
				waitMs: loginWaitMs,
			});
			await mirror.refresh();
			return await task();
		},
		subscribe: listener =>
			mirror.subscribe(changes => {
				for (const change of changes) {
					if (change.kind === loginKind && change.profile === profile) {
						listener(change.name);
					}
				}
			}),
	};
}
