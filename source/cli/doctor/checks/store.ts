import {isShared, storePlaceOf, usable} from '../../../config/store-place.ts';
import {messageOf} from '../../../core/errors.ts';
import {duration} from '../../../terminal/text/time.ts';
import {type Check, failed, ok, unread, warning} from './check.ts';

const oldestVersion = 13;
/** The clocks of two machines that differ by more make the order of lists, and times of jobs, hard to read; milliseconds. */
const maxSkewMs = 2000;

/** Whether the database that several gateways share can be used, and keeps secrets. */
export const store: Check = {
	subject: 'store',
	asks: true,
	async look({config, context}) {
		if (!config) {
			return unread;
		}

		if (!isShared(config.gateway) && config.gateway.broken === undefined) {
			return ok('the file state.db of this home');
		}

		try {
			const {url = ''} = usable(storePlaceOf(config));
			const {examineDatabase} = await import('../../../store/postgres/examine-database.ts');
			const asked = context.clock.now();
			const {name, version, now, canWrite, plainSecrets} = await examineDatabase({
				url,
				clock: context.clock,
			});
			const took = context.clock.now() - asked;
			const skew = Math.abs(now - (asked + took / 2)) - took / 2;
			const hasKey = config.gateway.storeKey !== undefined;
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
				skew > maxSkewMs &&
					warning(
						`the clock of the database and that of this machine differ by ${duration(skew)}`,
						'synchronise both with NTP',
					),
				!hasKey &&
					warning(
						plainSecrets === 0
							? 'secrets of subscriptions would stand plain in the database, and each gateway logs in to tool servers by itself: there is no gateway.store_key'
							: `secrets of ${plainSecrets} ${plainSecrets === 1 ? 'subscription stand' : 'subscriptions stand'} plain in the database: there is no gateway.store_key`,
						'gateway.store_key in config.yaml: ${SVC_STORE_KEY}, in .env: openssl rand -base64 32',
					),
			];
		} catch (error) {
			return failed(messageOf(error), 'svc config check; psql with the same URL');
		}
	},
};
