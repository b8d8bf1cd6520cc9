import type {Clock} from '../../core/clock.ts';
import {integerOf} from '../columns.ts';
import type {Documents} from '../document-port.ts';
import {isReadableOnTheWay} from './connection.ts';
import {createDatabase} from './database.ts';
import {createDocuments} from './documents.ts';
import {versionOf} from './schema.ts';

/** Examines a database without changing it. @throws SvcError `store_too_new`, `journal_unavailable` */
export async function examineDatabase<Found>({
	url,
	clock,
	examine,
}: {
	readonly url: string;
	readonly clock: Clock;
	readonly examine: (documents: Documents) => Promise<Found>;
}) {
	const database = createDatabase({clock}, {url});
	try {
		const [facts] = await database.query(
			`select current_setting('server_version_num')::integer as version,
				(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
				pg_is_in_recovery()::integer as standby,
				(to_regclass('document') is not null)::integer as filled`,
		);
		const isFilled = integerOf(facts?.['filled']) === 1;
		if (isFilled) {
			await versionOf(database, database.name);
		}

		return {
			/** Host and name, without secrets. */
			name: database.name,
			/** In the format of `server_version_num`: 150003. */
			version: integerOf(facts?.['version']),
			/** The time of its clock, milliseconds since 1970. */
			now: integerOf(facts?.['now']),
			/** Whether the connection is readable on the network, since it is not encrypted. */
			isReadableOnTheWay: isReadableOnTheWay(url),
			/** `false` for a standby. */
			canWrite: integerOf(facts?.['standby']) === 0,
			/** The result of `examine`; absent: it has no tables yet. */
			...(isFilled && {
				documents: await examine(createDocuments({database, publish() {}})),
			}),
		};
	} finally {
		await database.close();
	}
}
