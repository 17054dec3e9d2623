/** PostgreSQL advisory locks of this service. The numbers stay the same in all releases. */
export const LOCKS = {
  migration: 4_718_220_611,
  firstWorkspace: 4_718_220_612,
  /** One process at a time follows the feeds of the register. */
  sync: 4_718_220_613,
  /** One import of the register at a time. */
  import: 4_718_220_614,
  /** One process at a time removes expired data. */
  housekeeping: 4_718_220_615,
  /** One process at a time makes the backup that is due. */
  backup: 4_718_220_616,
} as const;
