import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { useIsLocked } from '../../components/submission.ts';
import { useWords } from '../../words/dictionary.ts';
import { ACCESSES, permissionOf, RESOURCES, type Permission } from './access.ts';
import { words } from './words.ts';
import './keys.css';

const EVERYTHING = RESOURCES.flatMap((resource) => ACCESSES.map((access) => permissionOf(resource, access)));
const READ_ONLY = RESOURCES.map((resource) => permissionOf(resource, 'read'));

/** Check boxes for permissions: a row for each resource, with a column for read and one for write. */
export function PermissionGrid({
  chosen,
  onChange,
  error,
}: {
  chosen: readonly Permission[];
  onChange: (chosen: readonly Permission[]) => void;
  error: string | undefined;
}) {
  const said = useWords(words);
  const isLocked = useIsLocked();
  const toggle = (permission: Permission) =>
    onChange(
      chosen.includes(permission) ? chosen.filter((one) => one !== permission) : [...chosen, permission],
    );
  return (
    <fieldset className="grid-field">
      <legend className="field-label">{said.permissions}</legend>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{said.resource}</span>
            </th>
            {ACCESSES.map((access) => (
              <th key={access} scope="col">
                {said[access]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map((resource) => (
            <tr key={resource}>
              <th scope="row">{said.resources[resource]}</th>
              {ACCESSES.map((access) => {
                const permission = permissionOf(resource, access);
                return (
                  <td key={access}>
                    <Checkbox
                      label={said.cell(said.resources[resource], said[access])}
                      hideLabel
                      isSelected={chosen.includes(permission)}
                      onChange={() => toggle(permission)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="grid-presets">
        <Button size="small" isPending={isLocked} onPress={() => onChange(EVERYTHING)}>
          {said.everything}
        </Button>
        <Button size="small" isPending={isLocked} onPress={() => onChange(READ_ONLY)}>
          {said.readOnly}
        </Button>
        <Button size="small" isPending={isLocked} onPress={() => onChange([])}>
          {said.nothing}
        </Button>
      </div>
      <p role="alert" className="field-error">
        {error}
      </p>
    </fieldset>
  );
}
