import type {Clock} from '../../core/clock.ts';
import {integerOf} from '../columns.ts';
import type {Documents} from '../document-port.ts';
import {isReadableOnTheWay} from './connection.ts';
import {createDatabase} from './database.ts';
import {createDocuments} from './documents.ts';
import {versionOf} from './schema.ts';

/** Looks at a database and changes nothing. @throws SvcError `store_too_new`, `journal_unavailable` */
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
			/** Host and name, without a secret. */
			name: database.name,
			/** As `server_version_num` has it: 150003. */
			version: integerOf(facts?.['version']),
			/** Its clock, milliseconds since 1970. */
			now: integerOf(facts?.['now']),
			/** Whether the connection can be read on a network in between. */
			isReadableOnTheWay: isReadableOnTheWay(url),
			/** Whether it is no standby. */
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
