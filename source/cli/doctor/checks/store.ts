import {isShared, storePlaceOf, usable} from '../../../config/store-place.ts';
import {codeOf, messageOf} from '../../../core/errors.ts';
import {countOf} from '../../../core/names.ts';
import {duration} from '../../../terminal/text/time.ts';
import {type Check, failed, notAsked, ok, unread, warning} from './check.ts';

const oldestVersion = 13;
/** Clocks of two machines that differ by more make the order of lists and the times of jobs confusing; milliseconds. */
const maxSkewMs = 2000;

/** Whether the database shared by gateways is usable, and protects secrets. */
export const store: Check = {
	subject: 'store',
	async look({config, context, offline}) {
		if (!config) {
			return unread;
		}

		if (!isShared(config.gateway) && config.gateway.broken === undefined) {
			return ok('the file state.db of this home');
		}

		if (offline) {
			return notAsked;
		}

		try {
			const {url = ''} = usable(storePlaceOf(config));
			const {examineDatabase} = await import('../../../store/postgres/examine-database.ts');
			const {examineSecrets} = await import('../../../gateway/documents/strongbox.ts');
			const asked = context.clock.now();
			const {storeKey} = config.gateway;
			const {name, version, now, canWrite, documents, ...way} = await examineDatabase({
				url,
				clock: context.clock,
				examine: async stored => examineSecrets(stored, storeKey),
			});
			const took = context.clock.now() - asked;
			const skew = Math.abs(now - (asked + took / 2)) - took / 2;
			const {plain = 0, locked = 0} = documents ?? {};
			return [
				Math.floor(version / 10_000) >= oldestVersion
					? ok(`${name}: PostgreSQL ${Math.floor(version / 10_000)}, answers in ${took} ms`)
					: failed(
							`${name} is PostgreSQL ${Math.floor(version / 10_000)}: ${oldestVersion} or later is needed`,
							'upgrade the server',
						),
				!canWrite &&
					failed(
						`${name} takes no writes: it is a standby`,
						'gateway.store in config.yaml: the primary',
					),
				way.isReadableOnTheWay &&
					warning(
						`no TLS is spoken to ${name}: what is stored can be read on the way`,
						'gateway.store in config.yaml: ?sslmode=verify-full at the end of the URL',
					),
				skew > maxSkewMs &&
					warning(
						`the clock of the database and that of this machine differ by ${duration(skew)}`,
						'synchronise both with NTP',
					),
				locked > 0 &&
					failed(
						`secrets of ${countOf(locked, 'subscription')} cannot be read: they are encrypted with ${storeKey === undefined ? 'a key, and gateway.store_key is not set' : 'another key than gateway.store_key'}, and their routes answer 503`,
						'gateway.store_key in config.yaml: the key that the other gateways have',
					),
				storeKey === undefined &&
					locked === 0 &&
					warning(
						plain === 0
							? 'secrets of subscriptions would stand plain in the database, and each gateway logs in to tool servers by itself: there is no gateway.store_key'
							: `secrets of ${countOf(plain, 'subscription')} stand plain in the database, and each gateway logs in to tool servers by itself: there is no gateway.store_key`,
						'gateway.store_key in config.yaml: ${SVC_STORE_KEY}, in .env: openssl rand -base64 32',
					),
			];
		} catch (error) {
			return failed(
				messageOf(error),
				codeOf(error) === 'store_too_new'
					? 'install the version of svc that the other gateways have'
					: 'svc config check; psql with the same URL',
			);
		}
	},
};
